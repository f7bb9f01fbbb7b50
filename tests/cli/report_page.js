// SPDX-License-Identifier: Apache-2.0
// Walks through a page of `shaderqa report -o` in a browser:
//   npm install puppeteer-core
//   NODE_PATH=node_modules node report_page.js BROWSER PAGE [SCREENSHOT]
// PAGE is that of `sample_sync --bug=barrier` with --breadcrumbs, and of a file that tests/cli/report_page_test.cpp wrote.
'use strict';
const assert = require('assert');
const puppeteer = require('puppeteer-core');

const [browserPath, file, screenshot] = process.argv.slice(2);

async function main() {
  const args = ['--no-sandbox', '--single-process', '--no-zygote', '--disable-gpu'];
  const browser = await puppeteer.launch({executablePath: browserPath, headless: 'shell', args});
  const page = await browser.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) errors.push('the page asks for ' + request.url());
  });
  await page.setViewport({width: 1400, height: 1000});
  await page.goto('file://' + file);
  const texts = (selector) => page.$$eval(selector, (all) => all.map((each) => each.innerText.replace(/\s+/g, ' ').trim()));

  // The three bugs of the sample, and one that two processes of another host have.
  assert.strictEqual((await texts('#list button')).length, 4);
  assert.match((await texts('#total'))[0], /^4 bugs, .* occurrences, 2 runs$/);
  assert.deepStrictEqual(await texts('#state'), ['NOT COMPLETELY CHECKED']);
  assert.match((await texts('#checked h3'))[0], /^sample_sync on .* completely checked$/);
  assert.match((await texts('#checked'))[0], /the run was killed before it could say/);

  const choose = async (words) => {
    const buttons = await page.$$('#list button');
    for (const button of buttons)
      if ((await button.evaluate((each) => each.textContent)).includes(words)) return button.click();
    assert.fail('there is no bug "' + words + '"');
  };
  await choose('Sorted.sorted');
  assert.match((await texts('#headline'))[0], /^hazard: read after write on Sorted\.sorted \(set 0, binding 3\)/);
  // What is missing stands between the two sides, and nowhere else.
  const strip = await page.$$eval('#strip .box', (all) => all.map((each) => [each.className.split(' ')[1], each.className.split(' ')[2] || '', each.innerText]));
  const missing = strip.findIndex(([what]) => what === 'missing');
  assert.strictEqual(strip.filter(([what]) => what === 'missing').length, 1);
  assert.deepStrictEqual(strip[missing - 1].slice(0, 2), ['action', 'other']);
  assert.match(strip[missing - 1][2], /4: vkCmdDispatch/);
  assert.match(strip[missing][2], /VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT/);
  assert.deepStrictEqual(strip[missing + 1].slice(0, 2), ['action', 'this']);
  assert.match(strip[missing + 1][2], /5: vkCmdDispatch/);
  assert(strip.some(([what, , text]) => what === 'barrier' && /COMPUTE_SHADER, SHADER_WRITE -> COMPUTE_SHADER, SHADER_READ/.test(text)));
  // The source beside the SPIR-V, with the access marked in both.
  assert.match((await texts('#source .this'))[0], /^10 if \(sorted\[n\] \+ kReach/);
  assert((await texts('#source div')).length > 10, 'the whole file');
  assert.match((await texts('#spirv .this'))[0], /OpLoad %uint/);
  await page.click('#source [data-line="14"]');
  assert((await texts('#spirv .other')).some((line) => /OpStore/.test(line)), 'the code of line 14');
  // The other side is in another file, of which the findings have one line.
  await page.click('#file button');
  assert.match((await texts('#source .other'))[0], /^7 sorted\[atomicAdd/);
  // Groups.
  await page.select('#order', 'buffer');
  assert.deepStrictEqual(await texts('#list h2'), ['ends', 'merged "<b>"', 'particles', 'sorted']);
  await page.select('#order', 'shader_name');
  assert.strictEqual((await texts('#list h2')).length, 2);
  await page.select('#order', '');
  // The map: a click on a mark shows its bug. Two processes of the other host have a buffer each.
  assert.strictEqual((await page.$$('#maps .bar')).length, 5);
  await page.$$eval('#maps .bar', (bars) => bars[bars.length - 1].children[0].click());
  assert(await page.$('#maps button.here'));
  await choose('Merged');
  assert.match((await texts('#facts'))[0], /one, process 1 on elsewhere; one, process 2 on elsewhere/);
  assert.match((await texts('#facts'))[0], /found 7 times/);
  const marks = await page.$$eval('#maps .bar button.here', (all) => all.map((each) => each.style.left));
  assert.deepStrictEqual(marks, ['50%', '25%']);
  await page.keyboard.press('j');
  assert.doesNotMatch((await texts('#headline'))[0], /Merged/);
  await choose('Sorted.sorted');
  if (screenshot) await page.screenshot({path: screenshot});
  await page.setViewport({width: 500, height: 1000});
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert(wide <= 0, 'the page is ' + wide + ' pixels too wide for a small window');
  if (screenshot) await page.screenshot({path: screenshot + '.small.png', fullPage: true});
  assert.deepStrictEqual(errors, []);
  await browser.close();
  console.log('ok');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});

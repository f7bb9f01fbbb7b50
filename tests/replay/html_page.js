// SPDX-License-Identifier: Apache-2.0
// Walks through a page of `shaderqa replay --html` in a browser:
//   npm install puppeteer-core
//   NODE_PATH=node_modules node html_page.js BROWSER PAGE [SCREENSHOT]
// PAGE is that of invocation 5 of tests/replay/fixtures/blocks.spvasm.
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
  await page.setViewport({width: 1400, height: 800});
  await page.goto('file://' + file);
  const texts = (selector) => page.$$eval(selector, (all) => all.map((each) => each.innerText.replace(/\s+/g, ' ').trim()));
  const here = async () => (await texts('#source .here'))[0];
  const keys = async (key, count) => {
    for (let i = 0; i < count; ++i) await page.keyboard.press(key);
  };
  assert.match(await here(), /^10 ×1 uint i = gl_GlobalInvocationID\.x;$/);
  // Into the function, by lines; the first call is with 0.
  while (!/uint y = x \* 2;/.test(await here())) await keys('ArrowRight', 1);
  assert.deepStrictEqual((await texts('#stack tr')).slice(0, 2), ['twice line 6', 'main line 18']);
  assert((await texts('#values tr')).includes('x 0'));
  // A click on the line goes to the second call, with Shift back to the first.
  await page.click('#source [data-line="6"]');
  assert((await texts('#values tr')).includes('x 2'));
  await keys('n', 1);
  assert((await texts('#values tr.new')).includes('y 4'), 'what has changed is marked');
  await keys('p', 1);
  await keys('.', 1);
  assert((await texts('#values tr')).includes('this instruction 2') || (await texts('#values tr')).includes('this instruction 4'));
  await keys(',', 1);
  await page.keyboard.down('Shift');
  await page.click('#source [data-line="6"]');
  await page.keyboard.up('Shift');
  assert((await texts('#values tr')).includes('x 0'));
  await keys('End', 1);
  assert.match(await here(), /^22 /);
  assert((await texts('#values tr')).includes('sum 32'));
  assert.strictEqual((await texts('#spirv .here')).length, 1);
  if (screenshot) await page.screenshot({path: screenshot});
  await page.mouse.click(3, 80);  // the begin of the timeline
  assert.match(await here(), /^10 /);
  assert.deepStrictEqual(errors, []);
  await browser.close();
  console.log('ok');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});

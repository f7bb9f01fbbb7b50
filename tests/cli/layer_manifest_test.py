#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layer manifests against a schema of what the Vulkan SDK's configurator accepts (layer_manifest.schema.json).

    layer_manifest_test.py MANIFEST...

The schema says in our words what the SDK's own one (vkconfig_core/layers/layers_schema.json of LunarG/VulkanTools) requires of the types of
settings that we use, and is stricter in two points: the types of settings that we do not use are not allowed, and integers have 32 bits, because
the configurator reads them as such."""
import copy
import json
import pathlib
import sys
import unittest

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed: manifests are not checked by it")
    sys.exit(77)

MANIFESTS = []
SCHEMA = json.loads(pathlib.Path(__file__).with_name("layer_manifest.schema.json").read_text())


def problems(manifest):
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
            for error in jsonschema.Draft7Validator(SCHEMA).iter_errors(manifest)]


class LayerManifest(unittest.TestCase):
    def setUp(self):
        self.manifest = json.loads(pathlib.Path(MANIFESTS[0]).read_text())

    def setting(self, manifest, kind):
        return next(each for each in manifest["layer"]["features"]["settings"] if each["type"] == kind)

    def test_schema_is_one(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_every_manifest_fits(self):
        self.assertGreaterEqual(len(MANIFESTS), 2)
        for path in MANIFESTS:
            self.assertEqual(problems(json.loads(pathlib.Path(path).read_text())), [], path)

    def test_each_type_of_setting_occurs(self):
        kinds = {each["type"] for each in self.manifest["layer"]["features"]["settings"]}
        self.assertEqual(kinds, {"BOOL", "INT", "ENUM", "STRING", "LOAD_FILE", "SAVE_FILE", "SAVE_FOLDER"})

    # What the schema is there to find.
    def test_mistakes_are_found(self):
        def change(edit):
            manifest = copy.deepcopy(self.manifest)
            edit(manifest)
            self.assertNotEqual(problems(manifest), [], edit.__name__)

        def no_layer(manifest): del manifest["layer"]
        def bad_name(manifest): manifest["layer"]["name"] = "shaderqa"
        def bad_version(manifest): manifest["layer"]["api_version"] = 1
        def bad_status(manifest): manifest["layer"]["status"] = "EXPERIMENTAL"
        def no_default(manifest): del self.setting(manifest, "BOOL")["default"]
        def text_for_number(manifest): self.setting(manifest, "INT")["default"] = "4"
        def large_number(manifest): self.setting(manifest, "INT")["range"] = {"max": 1 << 40}
        def range_of_text(manifest): self.setting(manifest, "STRING")["range"] = {"min": 0}
        def no_flags(manifest): del self.setting(manifest, "ENUM")["flags"]
        def unknown_flag(manifest): self.setting(manifest, "ENUM")["flags"][0]["colour"] = "red"
        def unknown_type(manifest): self.setting(manifest, "STRING")["type"] = "TEXT"
        def unknown_member(manifest): self.setting(manifest, "BOOL")["comment"] = "none"
        def unknown_mode(manifest):
            self.setting(manifest, "BOOL")["dependence"] = {"mode": "SOME", "settings": []}
        def preset_without_label(manifest): del manifest["layer"]["features"]["presets"][0]["label"]
        def value_of_preset(manifest): manifest["layer"]["features"]["presets"][0]["settings"][0]["value"] = None
        for edit in (no_layer, bad_name, bad_version, bad_status, no_default, text_for_number, large_number, range_of_text,
                     no_flags, unknown_flag, unknown_type, unknown_member, unknown_mode, preset_without_label,
                     value_of_preset):
            change(edit)


if __name__ == "__main__":
    MANIFESTS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])

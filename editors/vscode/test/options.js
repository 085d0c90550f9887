// What the compiled extension starts and tells, as JSON: in node, with a `vscode` of which nothing is asked.

const Module = require("module");

const vscode = new Proxy(class {}, {
  get: (target, name) => (name === "prototype" ? target.prototype : vscode),
  apply: () => vscode,
  construct: () => ({}),
});
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

const { serverOptions, clientOptions, PAGE, WATCHED } = require("../out/options.js");
const { activate, deactivate } = require("../out/extension.js");

const asked = [];
const settings = {
  get(name, otherwise) {
    asked.push(name);
    return otherwise;
  },
};
const told = {
  server: serverOptions(settings),
  client: clientOptions(settings, false),
  page: PAGE,
  watched: WATCHED,
  settings: asked,
  begins: typeof activate,
  ends: typeof deactivate,
};
console.log(JSON.stringify(told));

import "./effects";
import whole from "./default";
import * as ns from './namespace';
import one, { two as deux, type Three, default as again } from "pkg/sub";
import mixed, * as rest from "mixed";
import type { Shape } from "./shape";
import { type A, type B } from "./only-types";
import fs = require("node:fs");
import data from "./data.json" with { type: "json" };
import {
  // a comment between
  many,
} from "./many";

const path = require("path");
const { join, resolve: absolute = null } = require('path');
const version = require("./package.json").version;
const notLiteral = require(name);

export * from "./star";
export * as everything from "./named-star";
export { a, b as c, default } from "./pass";
export type { T } from "./types";

async function load() {
  const { render } = await import("./lazy");
  const page = await import(`./template`);
  import("./promised").then((module) => module.run());
  return import(`./dynamic/${page}`);
}

let later: import("./in-type").Type;
export import renamed = ns.inner;

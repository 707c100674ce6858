/**
 * The verbs that need neither server nor database: they read YANG modules and data from files. Here are the options that
 * they share, which name modules and features.
 */
import type { Option } from "commander";
import { option, repeated } from "../verb.ts";

export interface ModuleOptions {
  readonly module?: readonly string[];
  readonly features?: readonly string[];
}

export interface SchemaOptions extends ModuleOptions {
  readonly yang: string;
}

export const yangOption = (): Option =>
  option(
    "--yang <dir>",
    "the folder with the YANG modules, looked through with all folders in it",
  ).makeOptionMandatory();

export const moduleOption = (): Option =>
  repeated(
    "--module <name>",
    "implement this module, NAME or NAME@REVISION; again for more (default: all in the folder)",
  );

/** As pyang has it: a module that is not named supports all of its features. */
export const featuresOption = (): Option =>
  repeated(
    "--features <list>",
    "MODULE:FEATURE,..: support only these features of the module, MODULE: none (default: all of every module)",
  );

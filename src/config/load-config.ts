import { basename, dirname, resolve } from 'node:path';
import * as z from 'zod';
import { type ListenOptions, listenOptionsSchema } from '../server/options.ts';
import { readRegularFile } from '../util/read-file.ts';
import { readErrorCode } from '../util/system-error.ts';
import { checkConfig, type Problem } from './check-config.ts';
import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import {
  applyEnvironment,
  applyListenEnvironment,
  applyPlaceEnvironment,
  type Environment,
  type ListenAddresses,
  listListenErrors,
} from './environment.ts';
import { type CheckedConfig, findProblems, listProblems } from './find-problems.ts';
import { resolveListenPaths, resolvePaths } from './paths.ts';
import { fillInSecrets, type SecretFilter } from './secrets.ts';
import { parseYaml, removeBrokenSections, type YamlSource } from './yaml-source.ts';

const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads a configuration file. Relative paths are resolved against the file's folder, and environment variables override values in the file.
 * @param checkFiles checks the files that the configuration names
 * @throws ConfigError with all errors
 */
export async function loadConfig(
  file: string,
  environment: Environment,
  checkFiles?: FileCheck,
): Promise<Config> {
  const text = await readConfigText(file);
  const source = { name: basename(file), folder: dirname(resolve(file)), environment };
  return parseConfig(text, checkFiles === undefined ? source : { ...source, checkFiles });
}

/**
 * Reads a configuration file for the keys of its service, whose administrator may lack the secrets of nodes. A missing variable of any option but
 * `access` is replaced by a placeholder.
 * @throws ConfigError with all errors
 */
export async function loadKeysConfig(file: string, environment: Environment): Promise<Config> {
  const source = { name: basename(file), folder: dirname(resolve(file)), environment };
  return parseConfig(await readConfigText(file), { ...source, isNeeded: ([first]) => first === 'access' });
}

/** Checks the files that a configuration names; the paths of the configuration are absolute. */
export type FileCheck = (config: Config) => readonly Problem[];

export type ConfigInput = {
  /** Name of the text in errors. */
  readonly name: string;
  readonly folder: string;
  readonly environment: Environment;
  readonly checkFiles?: FileCheck;
  /**
   * Converts the path of a wrong value to the path in the text that the user wrote. Errors then have no line, because the parsed text was generated.
   */
  readonly renamePath?: (path: readonly PropertyKey[]) => readonly PropertyKey[];
  /** Whether the value at a path is used; by default, all values are. */
  readonly isNeeded?: SecretFilter;
};

const ANY_PLACE: ListenAddresses = { listen: { host: '127.0.0.1', port: 0 }, admin: false };

/** Parses a YAML configuration. @throws ConfigError with all errors */
export function parseConfig(text: string, source: ConfigInput): Config {
  const { name, folder, environment } = source;
  const yaml = parseYaml(text);
  const checked = yaml.errors.some(({ isSyntax }) => isSyntax)
    ? { problems: findProblemsBeside(text, source) }
    : findYamlProblems(yaml, source);
  if (checked.config === undefined || yaml.errors.length > 0) {
    const lines = (checked.problems ?? []).map((problem) => ({
      line: yaml.lineOf(problem.path),
      text: describeProblem(problem, yaml, source),
    }));
    const ofYaml = yaml.errors.map(({ line, message }) => ({ line, text: `${name}:${line}: ${message}` }));
    // Errors in environment variables are reported too, because they do not depend on the file.
    const { errors } = applyPlaceEnvironment(ANY_PLACE, environment);
    const sorted = [...ofYaml, ...lines].sort((a, b) => a.line - b.line);
    throw new ConfigError([...sorted.map((one) => one.text), ...errors]);
  }
  const { config, errors } = applyEnvironment(resolvePaths(checked.config, folder), environment);
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}

/** @throws ConfigError for an empty file */
function findYamlProblems(
  yaml: YamlSource,
  { name, folder, environment, checkFiles, isNeeded }: ConfigInput,
): CheckedConfig {
  checkContents(yaml, name);
  const { value, problems: missing } = fillInSecrets(yaml.value, environment, isNeeded);
  return findProblems(value, missing, (config, names) => [
    ...checkConfig(config, names),
    ...(checkFiles?.(resolvePaths(config, folder)) ?? []),
  ]);
}

/** Finds the errors in the sections without syntax errors. */
function findProblemsBeside(text: string, source: ConfigInput): readonly Problem[] {
  const rest = removeBrokenSections(text);
  if (rest === undefined || rest.yaml.value === null || rest.yaml.value === undefined) return [];
  const { problems = [] } = findYamlProblems(rest.yaml, source);
  const isUnknown = (path: readonly PropertyKey[] = []): boolean => rest.removed.has(String(path[0]));
  return problems.filter(({ path, dependsOn = [] }) => !isUnknown(path) && !dependsOn.some(isUnknown));
}

/**
 * Reads only the listener options of a configuration file, because `portcullis health` may lack the secrets that other options need.
 * @throws ConfigError if the file cannot be read or the listener options are invalid
 */
export async function loadListenOptions(file: string, environment: Environment): Promise<ListenOptions> {
  const name = basename(file);
  const yaml = parseYamlFile(await readConfigText(file), name);
  const parsed = z.looseObject({ listen: listenOptionsSchema }).safeParse(yaml.value);
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue) => listProblems(issue, yaml.value));
    throw new ConfigError(problems.map((problem) => describeProblem(problem, yaml, { name })));
  }
  const paths = resolveListenPaths(parsed.data.listen, dirname(resolve(file)));
  const listen = applyListenEnvironment(paths, environment);
  if (listen === undefined) throw new ConfigError(listListenErrors(environment));
  return listen;
}

/** @throws ConfigError for syntax errors, and for an empty file */
function parseYamlFile(text: string, name: string): YamlSource {
  const yaml = parseYaml(text);
  if (yaml.errors.length > 0) {
    throw new ConfigError(yaml.errors.map(({ line, message }) => `${name}:${line}: ${message}`));
  }
  checkContents(yaml, name);
  return yaml;
}

/** @throws ConfigError for an empty file */
function checkContents({ value }: YamlSource, name: string): void {
  if (value === null || value === undefined) throw new ConfigError([`${name}: the file is empty`]);
}

/** Formats a problem: `portcullis.yaml:12: listen.port: expected ...` */
function describeProblem(
  { path, message }: Problem,
  yaml: YamlSource,
  { name, renamePath }: Pick<ConfigInput, 'name' | 'renamePath'>,
): string {
  const place = renamePath === undefined ? `${name}:${yaml.lineOf(path)}` : name;
  const key = formatPath(renamePath?.(path) ?? path);
  return `${place}: ${key === '' ? '' : `${key}: `}${message}`;
}

/** Formats a path: `networks.mine.hosts[0]` */
function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}

/** Reads the text of a configuration file. @throws ConfigError if the file cannot be read */
export async function readConfigText(file: string): Promise<string> {
  try {
    return readRegularFile(file, MAX_FILE_BYTES).toString('utf8');
  } catch (error) {
    throw new ConfigError([`${file}: ${describeReadError(error)}`]);
  }
}

function describeReadError(error: unknown): string {
  const code = readErrorCode(error);
  switch (code) {
    case 'ENOENT':
      return 'no such file';
    case 'EACCES':
      return 'may not be read';
    case 'EISDIR':
      return 'is a folder';
    default:
      return code === undefined ? (error as Error).message : `cannot be read (${code})`;
  }
}

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
  type Place,
  PORT_ERROR,
} from './environment.ts';
import { type CheckedConfig, findProblems, listProblems } from './find-problems.ts';
import { resolveListenPaths, resolvePaths } from './paths.ts';
import { fillInSecrets } from './secrets.ts';
import { parseYaml, removeBrokenSections, type YamlSource } from './yaml-source.ts';

const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads a configuration file; paths in it are relative to its folder, the environment goes over it.
 * @throws ConfigError
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

/** What is wrong with the files that a configuration names; its paths are absolute. */
export type FileCheck = (config: Config) => readonly Problem[];

export type ConfigSource = {
  /** How errors call the text. */
  readonly name: string;
  readonly folder: string;
  readonly environment: Environment;
  readonly checkFiles?: FileCheck;
};

const ANY_PLACE: Place = { listen: { host: '127.0.0.1', port: 0 }, admin: false };

/** The configuration in a YAML text. @throws ConfigError */
export function parseConfig(text: string, source: ConfigSource): Config {
  const { name, folder, environment } = source;
  const yaml = parseYaml(text);
  const checked = yaml.errors.some(({ isSyntax }) => isSyntax)
    ? { problems: findProblemsBeside(text, source) }
    : findYamlProblems(yaml, source);
  if (checked.config === undefined || yaml.errors.length > 0) {
    const lines = (checked.problems ?? []).map((problem) => ({
      line: yaml.lineOf(problem.path),
      text: describeProblem(problem, yaml, name),
    }));
    const ofYaml = yaml.errors.map(({ line, message }) => ({ line, text: `${name}:${line}: ${message}` }));
    // What is wrong with the environment does not depend on the file.
    const { errors } = applyPlaceEnvironment(ANY_PLACE, environment);
    const sorted = [...ofYaml, ...lines].sort((a, b) => a.line - b.line);
    throw new ConfigError([...sorted.map((one) => one.text), ...errors]);
  }
  const { config, errors } = applyEnvironment(resolvePaths(checked.config, folder), environment);
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}

/** @throws ConfigError for a file that says nothing */
function findYamlProblems(
  yaml: YamlSource,
  { name, folder, environment, checkFiles }: ConfigSource,
): CheckedConfig {
  checkContents(yaml, name);
  const { value, problems: missing } = fillInSecrets(yaml.value, environment);
  return findProblems(value, missing, (config, names) => [
    ...checkConfig(config, names),
    ...(checkFiles?.(resolvePaths(config, folder)) ?? []),
  ]);
}

/** What is wrong in the sections of a text that its syntax errors are not in. */
function findProblemsBeside(text: string, source: ConfigSource): readonly Problem[] {
  const rest = removeBrokenSections(text);
  if (rest === undefined || rest.yaml.value === null || rest.yaml.value === undefined) return [];
  const { problems = [] } = findYamlProblems(rest.yaml, source);
  const isUnknown = (path: readonly PropertyKey[] = []): boolean => rest.removed.has(String(path[0]));
  return problems.filter(({ path, dependsOn = [] }) => !isUnknown(path) && !dependsOn.some(isUnknown));
}

/**
 * What a configuration file says of the listener, whatever the rest of it says: for `health`, which need not have its
 * secrets. @throws ConfigError
 */
export async function loadListenOptions(file: string, environment: Environment): Promise<ListenOptions> {
  const name = basename(file);
  const yaml = parseYamlFile(await readConfigText(file), name);
  const parsed = z.looseObject({ listen: listenOptionsSchema }).safeParse(yaml.value);
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue) => listProblems(issue, yaml.value));
    throw new ConfigError(problems.map((problem) => describeProblem(problem, yaml, name)));
  }
  const paths = resolveListenPaths(parsed.data.listen, dirname(resolve(file)));
  const listen = applyListenEnvironment(paths, environment);
  if (listen === undefined) throw new ConfigError([PORT_ERROR]);
  return listen;
}

/** @throws ConfigError for errors of its syntax, and for a file that says nothing */
function parseYamlFile(text: string, name: string): YamlSource {
  const yaml = parseYaml(text);
  if (yaml.errors.length > 0) {
    throw new ConfigError(yaml.errors.map(({ line, message }) => `${name}:${line}: ${message}`));
  }
  checkContents(yaml, name);
  return yaml;
}

/** @throws ConfigError for a file that says nothing */
function checkContents({ value }: YamlSource, name: string): void {
  if (value === null || value === undefined) throw new ConfigError([`${name}: the file is empty`]);
}

/** `portcullis.yaml:12: listen.port: expected ...` */
function describeProblem({ path, message }: Problem, yaml: YamlSource, name: string): string {
  const key = formatPath(path);
  return `${name}:${yaml.lineOf(path)}: ${key === '' ? '' : `${key}: `}${message}`;
}

/** `networks.mine.hosts[0]` */
function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}

/** The text of a configuration file. @throws ConfigError when it cannot be read */
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

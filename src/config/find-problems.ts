import * as z from 'zod';
import { describeIssue } from '../util/describe-issue.ts';
import { findNearName, pointToNames, suggestName } from '../util/near-name.ts';
import { checkConfig, type Problem } from './check-config.ts';
import { type Config, configSchema } from './config.ts';

type Path = readonly PropertyKey[];

/** Valid configuration, or all its errors. */
export type CheckedConfig =
  | { readonly config: Config; readonly problems?: undefined }
  | { readonly config?: undefined; readonly problems: readonly Problem[] };

/**
 * Maximum number of rounds that remove wrong values from a configuration. If values are wrong even after the last round, the check of values against
 * each other is skipped.
 */
const MAX_ROUNDS = 8;

/** Function for checks that a schema cannot express. @param names names of all networks, including networks with errors */
export type Check = (config: Config, names: readonly string[]) => readonly Problem[];

/**
 * Checks a file against the schema, and its values against each other. If some values are wrong, only the other values are checked against each
 * other.
 * @param missing known errors of single values, such as missing environment variables. Other errors of a value in this list are suppressed.
 * @param check checks the values against each other
 */
export function findProblems(
  value: unknown,
  missing: readonly Problem[],
  check: Check = checkConfig,
): CheckedConfig {
  const first = configSchema.safeParse(value);
  if (first.success && missing.length === 0) {
    const problems = check(first.data, namesOf(value));
    return problems.length === 0 ? { config: first.data } : { problems };
  }
  const found = first.success ? [] : first.error.issues.flatMap((issue) => listProblems(issue, value));
  const problems = [
    ...missing,
    ...found.filter(({ path }) => !missing.some((one) => isBelow(path, one.path))),
  ];
  const wrong = problems.map(({ path }) => path);
  return { problems: [...problems, ...checkRest(value, wrong, check)] };
}

/** Removes the wrong values, and checks the other values against each other. */
function checkRest(value: unknown, wrong: readonly Path[], check: Check): Problem[] {
  const rest: unknown = structuredClone(value);
  fillInHosts(rest);
  const removed: Path[] = [];
  let paths = wrong;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // The last items of a list are removed first, so that the indices of the others stay valid.
    for (const path of [...paths].reverse()) {
      const gone = remove(rest, path);
      if (gone === undefined) continue;
      removed.push(gone);
      // A misspelt key probably stands for the known key with the nearest name, so errors that depend on that key are suppressed too.
      const key = gone.at(-1);
      const near = typeof key === 'string' ? findNearName(key, listKeys(gone.slice(0, -1))) : undefined;
      if (near !== undefined) removed.push([...gone.slice(0, -1), near]);
    }
    fillInHosts(rest);
    const parsed = configSchema.safeParse(rest);
    if (parsed.success) {
      return check(parsed.data, namesOf(value)).filter(
        ({ path, dependsOn = [] }) =>
          !removed.some(
            (gone) =>
              isBelow(path, gone) || dependsOn.some((one) => isBelow(one, gone) || isBelow(gone, one)),
          ),
      );
    }
    paths = parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path],
    );
  }
  return [];
}

/** Gives each network without usable hosts a unique host, so that its other values are checked. */
function fillInHosts(root: unknown): void {
  const networks = isMap(root) ? root['networks'] : undefined;
  if (!isMap(networks)) return;
  for (const [i, network] of Object.values(networks).entries()) {
    if (isMap(network) && !Object.hasOwn(network, 'hosts')) network['hosts'] = [`network-${i}.invalid`];
  }
}

/** Removes the value at a path, or its closest existing parent. @returns path of the removed value */
function remove(root: unknown, path: Path): Path | undefined {
  const last = path.at(-1);
  if (last === undefined) return undefined;
  const around = valueAt(root, path.slice(0, -1));
  if (Array.isArray(around) && typeof last === 'number' && last in around) {
    around.splice(last, 1);
    return path;
  }
  if (isMap(around) && Object.hasOwn(around, last)) {
    delete around[last as string];
    return path;
  }
  return around === undefined ? undefined : remove(root, path.slice(0, -1));
}

/** Keys of earlier versions, and their replacements. */
const REPLACED_KEYS: Readonly<Record<string, string>> = {
  passthrough:
    'is replaced by methods: reads are served by default, methods.also names further ones, methods.only and methods.except narrow them',
};

/** Converts a schema issue to problems. An unknown key is reported at the key, not at the map that contains it. */
export function listProblems(issue: z.core.$ZodIssue, value: unknown): Problem[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const keys = listKeys(path);
    return issue.keys.map((key) => {
      const shown = hideSecretKey(path, key);
      const message = REPLACED_KEYS[shown] ?? `unknown key${pointToNames(shown, keys)}`;
      return { path: [...path, shown], message };
    });
  }
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path, message }));
  const message = describeIssue(issue);
  if (issue.code === 'invalid_value') {
    const provided = valueAt(value, path);
    const names = issue.values.filter((one) => typeof one === 'string');
    return [{ path, message: message + (typeof provided === 'string' ? suggestName(provided, names) : '') }];
  }
  return [{ path, message }];
}

/** Below `upstreams` a misplaced colon turns a URL with a secret into a key, so the key is masked. */
function hideSecretKey(path: Path, key: string): string {
  const holdsAddresses = path.includes('upstreams') || path.includes('private');
  return holdsAddresses && !/^[A-Za-z]\w{0,20}$/.test(key) ? '(not a key)' : key;
}

type JsonSchema = {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
};

let jsonSchema: JsonSchema | undefined;

/** Returns the keys that the map at a path may have. */
function listKeys(path: Path): string[] {
  jsonSchema ??= z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  let schemas: JsonSchema[] = [jsonSchema].flatMap(listAlternatives);
  for (const key of path) {
    schemas = schemas.flatMap(({ properties, additionalProperties, items }) => {
      const next = typeof key === 'number' ? items : (properties?.[String(key)] ?? additionalProperties);
      return typeof next === 'object' ? listAlternatives(next) : [];
    });
  }
  return schemas.flatMap(({ properties = {} }) => Object.keys(properties));
}

function listAlternatives(schema: JsonSchema): JsonSchema[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  return [schema, ...inner.flatMap(listAlternatives)];
}

function namesOf(value: unknown): string[] {
  const networks = isMap(value) ? value['networks'] : undefined;
  return isMap(networks) ? Object.keys(networks) : [];
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    value = isThere ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  }
  return value;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether `path` is at `root` or below it. */
function isBelow(path: Path, root: Path): boolean {
  return root.every((key, i) => path[i] === key);
}

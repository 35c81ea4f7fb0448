import type * as z from 'zod';
import { describeIssue, expandUnion } from '../util/describe-issue.ts';
import { findNearName, pointToNames, suggestName } from '../util/near-name.ts';
import { checkConfig, type Problem } from './check-config.ts';
import { type Config, configSchema } from './config.ts';
import { listForms, listOptions, readJsonSchema } from './json-schema.ts';

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
  return expandUnion(issue).flatMap((one) => listProblemsOf(one, value));
}

function listProblemsOf(issue: z.core.$ZodIssue, value: unknown): Problem[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const keys = listKeys(path);
    return issue.keys.map((key) => {
      const shown = hideSecretKey(path, key);
      return { path: [...path, shown], message: REPLACED_KEYS[shown] ?? `unknown key${hintAt(shown, keys)}` };
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

/** Returns the hint for an unknown key: a similar name in this place, a name with the same meaning, the same name elsewhere, or the list of names. */
function hintAt(key: string, keys: readonly string[]): string {
  const near = suggestName(key, keys);
  if (near !== '') return near;
  const meant = SYNONYMS.find(([one, words]) => keys.includes(one) && words.has(key.toLowerCase()));
  if (meant !== undefined) return `, did you mean ${meant[0]}?`;
  return suggestPlaces(key) || pointToNames(key, keys);
}

/** Names that other gateways and servers have for an option, by the name of the option here. */
const SYNONYMS: readonly (readonly [key: string, words: ReadonlySet<string>])[] = [
  [
    'upstreams',
    new Set(['nodes', 'endpoints', 'providers', 'backends', 'rpc', 'rpcs', 'rpcurls', 'targets', 'urls']),
  ],
  ['url', new Set(['endpoint', 'address', 'uri', 'rpc', 'http'])],
  ['heads', new Set(['ws', 'wss', 'websocket', 'wsurl'])],
  ['networks', new Set(['chains', 'projects'])],
  ['listen', new Set(['server', 'bind', 'http', 'rpc'])],
  ['tls', new Set(['ssl', 'https'])],
  ['host', new Set(['address', 'bind', 'hostname', 'interface'])],
  ['hosts', new Set(['host', 'domains', 'hostnames', 'servernames'])],
  ['access', new Set(['auth', 'authentication', 'keys', 'apikeys'])],
  ['admin', new Set(['metrics', 'prometheus', 'dashboard', 'console', 'status'])],
  ['log', new Set(['logger', 'logging', 'logs'])],
  ['tracing', new Set(['otel', 'opentelemetry', 'telemetry'])],
  ['rate', new Set(['ratelimit', 'ratelimits', 'rps'])],
  ['pool', new Set(['failover', 'failsafe', 'healthcheck'])],
  ['redis', new Set(['valkey', 'connector'])],
  ['dataDir', new Set(['datadir', 'storage', 'database', 'path'])],
];

/** Below `upstreams` a misplaced colon turns a URL with a secret into a key, so the key is masked. */
function hideSecretKey(path: Path, key: string): string {
  const holdsAddresses = path.includes('upstreams') || path.includes('private');
  return holdsAddresses && !/^[A-Za-z]\w{0,20}$/.test(key) ? '(not a key)' : key;
}

/** Maximum number of places that an error names. */
const MAX_PLACES = 3;

/**
 * Names the options with this key elsewhere in the configuration: `, did you mean listen.port or admin.port?`. The text is empty for no option, and
 * for more than `MAX_PLACES`.
 */
function suggestPlaces(key: string): string {
  const places = listOptions().flatMap(({ path }) => {
    if (path === key) return [`${path} (top level)`];
    return path.endsWith(`.${key}`) ? [path] : [];
  });
  if (places.length === 0 || places.length > MAX_PLACES) return '';
  return `, did you mean ${places.join(' or ')}?`;
}

/** Returns the keys that the map at a path may have. */
function listKeys(path: Path): string[] {
  let schemas = listForms(readJsonSchema());
  for (const key of path) {
    schemas = schemas.flatMap(({ properties, additionalProperties, items }) => {
      const next = typeof key === 'number' ? items : (properties?.[String(key)] ?? additionalProperties);
      return typeof next === 'object' ? listForms(next) : [];
    });
  }
  return schemas.flatMap(({ properties = {} }) => Object.keys(properties));
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

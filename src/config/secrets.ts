import type { Problem } from './check-config.ts';
import type { Environment } from './environment.ts';

/** Source of the regular expression of a variable: `${NAME}`. */
export const REFERENCE_PATTERN = '\\$\\{([A-Za-z_][A-Za-z0-9_]*)\\}';
const REFERENCE = new RegExp(REFERENCE_PATTERN, 'g');

/**
 * Replaces `${NAME}` by the environment variable in values that may contain secrets: everything below `networks.*.upstreams` and
 * `networks.*.send.private`, the URLs in `networks.*.rollup`, `cache.redis.url`, `access.valkey.url`, `admin.key`, `admin.api.*.token`,
 * `tracing.endpoint` and `tracing.headers`. In any other value, `${NAME}` is an error.
 * @param isNeeded whether a value is used; a missing variable of any other value is replaced by a valid placeholder
 */
export function fillInSecrets(
  root: unknown,
  environment: Environment,
  isNeeded: SecretFilter = () => true,
): { readonly value: unknown; readonly problems: readonly Problem[] } {
  const filling: Filling = { environment, isNeeded, problems: [], placeholders: new Map() };
  const value = replace(root, [], filling);
  return { value, problems: filling.problems };
}

/** Whether the value at a path is used. */
export type SecretFilter = (path: readonly PropertyKey[]) => boolean;

type Filling = {
  readonly environment: Environment;
  readonly isNeeded: SecretFilter;
  readonly problems: Problem[];
  /** Numbers of the variables that placeholders replace: two variables never have the same value. */
  readonly placeholders: Map<string, number>;
};

/** Whether environment variables are replaced in the value at this path. */
export function mayHoldSecret([first, second, third, fourth]: readonly PropertyKey[]): boolean {
  if (first === 'networks') {
    if (third === 'send') return fourth === 'private';
    return third === 'upstreams' || (third === 'rollup' && (fourth === 'l1' || fourth === 'opNode'));
  }
  if (first === 'access') return second === 'valkey' && third === 'url';
  if (first === 'tracing') return second === 'endpoint' || second === 'headers';
  if (first === 'admin') return second === 'key' || (second === 'api' && fourth === 'token');
  return first === 'cache' && second === 'redis' && third === 'url';
}

function replace(value: unknown, path: readonly PropertyKey[], filling: Filling): unknown {
  if (typeof value === 'string') {
    if (mayHoldSecret(path)) return replaceText(value, path, filling);
    for (const [reference] of value.matchAll(REFERENCE)) {
      filling.problems.push({
        path,
        message: `${reference} is not replaced by an environment variable here: write the value`,
      });
    }
    return value;
  }
  if (Array.isArray(value)) return value.map((item, i) => replace(item, [...path, i], filling));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replace(item, [...path, key], filling)]),
  );
}

function replaceText(text: string, path: readonly PropertyKey[], filling: Filling): string {
  const { environment, isNeeded, problems, placeholders } = filling;
  return text.replace(REFERENCE, (reference, name: string) => {
    const variable = environment[name];
    if (variable) return variable;
    if (isNeeded(path)) {
      problems.push({ path, message: `the environment has no variable ${name}` });
      return reference;
    }
    const number = placeholders.get(name) ?? placeholders.size + 1;
    placeholders.set(name, number);
    // A part of a URL may be a port, for which only a number is valid.
    return text === reference ? makePlaceholder(path, number) : String(number);
  });
}

/** Length that is valid for the key of the admin server and for a token of the Admin API. */
const PLACEHOLDER_LENGTH = 64;

/** Returns a valid value for an option that is not used. */
function makePlaceholder(path: readonly PropertyKey[], number: number): string {
  if (path[0] === 'admin') return String(number).padStart(PLACEHOLDER_LENGTH, '0');
  const scheme =
    path[0] === 'cache' || path[0] === 'access' ? 'rediss' : path.includes('heads') ? 'wss' : 'https';
  return `${scheme}://placeholder-${number}.invalid`;
}

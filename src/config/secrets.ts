import type { Problem } from './check-config.ts';
import type { Environment } from './environment.ts';

/** Source of the regular expression of a variable: `${NAME}`. */
export const REFERENCE_PATTERN = '\\$\\{([A-Za-z_][A-Za-z0-9_]*)\\}';
const REFERENCE = new RegExp(REFERENCE_PATTERN, 'g');

/**
 * Replaces `${NAME}` by the environment variable in values that may contain secrets: everything below `networks.*.upstreams` and
 * `networks.*.send.private`, the URLs in `networks.*.rollup`, `cache.redis.url`, `access.valkey.url`, `admin.key`, `admin.api.*.token`,
 * `tracing.endpoint` and `tracing.headers`. In any other value, `${NAME}` is an error.
 */
export function fillInSecrets(
  root: unknown,
  environment: Environment,
): { readonly value: unknown; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const value = replace(root, [], environment, problems);
  return { value, problems };
}

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

function replace(
  value: unknown,
  path: readonly PropertyKey[],
  environment: Environment,
  problems: Problem[],
): unknown {
  if (typeof value === 'string') {
    if (mayHoldSecret(path)) return replaceText(value, path, environment, problems);
    for (const [reference] of value.matchAll(REFERENCE)) {
      problems.push({
        path,
        message: `${reference} is not replaced by an environment variable here: write the value`,
      });
    }
    return value;
  }
  if (Array.isArray(value)) return value.map((item, i) => replace(item, [...path, i], environment, problems));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replace(item, [...path, key], environment, problems)]),
  );
}

function replaceText(
  text: string,
  path: readonly PropertyKey[],
  environment: Environment,
  problems: Problem[],
): string {
  return text.replace(REFERENCE, (reference, name: string) => {
    const variable = environment[name];
    if (variable) return variable;
    problems.push({ path, message: `the environment has no variable ${name}` });
    return reference;
  });
}

import { AdminRefusal } from '../refusal.ts';
import type { ApiRoute } from './api-route.ts';

/** Route of a request, with the parameters of its path. */
export type FoundRoute = { readonly route: ApiRoute; readonly params: Readonly<Record<string, string>> };

/**
 * Finds the route of a request.
 * @param path path without query
 * @throws AdminRefusal 404 for an unknown path, 405 for a method that the path does not have
 */
export function findApiRoute(
  routes: readonly ApiRoute[],
  prefix: string,
  method: string,
  path: string,
): FoundRoute {
  const segments = path.slice(prefix.length).split('/');
  const found = path.startsWith(prefix)
    ? routes.flatMap((route) => {
        const params = matchPath(route.path.split('/'), segments);
        return params === undefined ? [] : [{ route, params }];
      })
    : [];
  const wanted = method === 'HEAD' ? 'GET' : method;
  const match = found.find(({ route }) => route.method === wanted);
  if (match !== undefined) return match;
  if (found.length === 0)
    throw new AdminRefusal(404, `the Admin API has no such path: GET ${prefix}/openapi.json lists all paths`);
  const allowed = found.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  throw new AdminRefusal(405, `this path has the methods ${allowed.join(', ')}`, {
    Allow: allowed.join(', '),
  });
}

/** Returns the parameters of a path; undefined if the path does not match the template. */
function matchPath(
  template: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, expected] of template.entries()) {
    const given = segments[i] as string;
    const [, name] = /^\{(\w+)\}$/.exec(expected) ?? [];
    if (name === undefined && given !== expected) return undefined;
    if (name !== undefined) {
      if (!/^[\w-]{1,64}$/.test(given)) return undefined;
      params[name] = given;
    }
  }
  return params;
}

import { type ApiRoute, roleOf } from '../../src/admin/api/api-route.ts';
import { type JsonSchemaObject, toJsonSchema } from '../../src/admin/api/openapi.ts';

const HEAD = `# Admin API

<!-- Written by scripts/write-docs.ts from src/admin/api; do not edit. -->

[operations.md](operations.md#admin-api) describes how to switch the Admin API on and how to use it. Requests carry
\`Authorization: Bearer TOKEN\`. Requests that need the role \`write\` carry a JSON body with \`Content-Type: application/json\`,
and are recorded in the audit log. Errors are problem documents (RFC 9457, \`application/problem+json\`). \`GET /admin/v1/openapi.json\` has
the schemas of all bodies and answers.
`;

type Properties = Readonly<Record<string, JsonSchemaObject>>;

/** Renders the page `docs/admin-api.md`. @param prefix path that all routes begin with */
export function renderAdminApiPage(routes: readonly ApiRoute[], prefix: string): string {
  const rows = routes.map(({ method, path, ...route }) => {
    const role = roleOf({ method });
    return `| \`${method} ${prefix}${path}\` | ${role} | ${route.summary} | ${listRefusalTexts(route)} |`;
  });
  const table = ['| Route | Role | What it does | Refusals of its own |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
  const sections = routes.flatMap((route) => renderMembers(route, prefix));
  return [HEAD, table, '', '## Members', '', ...sections].join('\n');
}

function listRefusalTexts({ refusals = {} }: Pick<ApiRoute, 'refusals'>): string {
  return Object.entries(refusals)
    .map(([status, says]) => `${status}: ${says}`)
    .join('; ');
}

/** Renders the members of the body, the query and the answer of a route. */
function renderMembers({ method, path, query, body, answer }: ApiRoute, prefix: string): string[] {
  const input = query ?? body;
  const inputs = input === undefined ? [] : describeMembers(toJsonSchema(input));
  const outputs = describeMembers(toJsonSchema(answer.schema));
  return [
    `### \`${method} ${prefix}${path}\``,
    '',
    ...(inputs.length > 0 ? [`${query === undefined ? 'Body' : 'Query'}:`, '', ...inputs, ''] : []),
    `Answer ${answer.status}: ${answer.says}${outputs.length > 0 ? ':' : '.'}`,
    '',
    ...(outputs.length > 0 ? [...outputs, ''] : []),
  ];
}

function describeMembers({ properties = {}, required = [] }: JsonSchemaObject): string[] {
  return Object.entries(properties as Properties).map(([name, schema]) => {
    const isNeeded = (required as readonly string[]).includes(name);
    const facts = [describeType(schema), ...(isNeeded ? [] : ['optional'])];
    const { default: byDefault, description } = schema;
    if (byDefault !== undefined) facts.push(`by default \`${JSON.stringify(byDefault)}\``);
    return `- \`${name}\` (${facts.join(', ')})${description === undefined ? '' : `: ${description}`}`;
  });
}

function describeType({ type, enum: values, anyOf, items, properties }: JsonSchemaObject): string {
  if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join(' or ');
  if (Array.isArray(anyOf)) return anyOf.map((one: JsonSchemaObject) => describeType(one)).join(' or ');
  if (type === 'array') return `list of ${describeType((items ?? {}) as JsonSchemaObject)}`;
  if (type === 'object' && properties !== undefined)
    return `object of ${Object.keys(properties as Properties)
      .map((name) => `\`${name}\``)
      .join(', ')}`;
  return String(type ?? 'any value');
}

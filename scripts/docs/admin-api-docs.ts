import { type ApiRoute, roleOf } from '../../src/admin/api/api-route.ts';
import { type JsonSchemaObject, needsBody, toJsonSchema } from '../../src/admin/api/openapi.ts';

const HEAD = `# Admin API

<!-- Written by scripts/write-docs.ts from src/admin/api; do not edit. -->

[operations.md](operations.md#admin-api) describes how to switch the Admin API on and how to use it. Requests carry
\`Authorization: Bearer TOKEN\`. Requests that need the role \`write\` carry a JSON body with \`Content-Type: application/json\`, which may
be absent if no member is required, and are recorded in the audit log. Errors are problem documents (RFC 9457, \`application/problem+json\`). \`GET /admin/v1/openapi.json\` has
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
function renderMembers(route: ApiRoute, prefix: string): string[] {
  const { method, path, query, body, example, answer } = route;
  const input = query ?? body;
  const kind = query !== undefined ? 'Query' : needsBody(route) ? 'Body' : 'Body, which may be absent';
  const inputs = input === undefined ? [] : describeMembers(toJsonSchema(input));
  const outputs = describeMembers(toJsonSchema(answer.schema));
  return [
    `### \`${method} ${prefix}${path}\``,
    '',
    ...(inputs.length > 0 ? [`${kind}:`, '', ...inputs, ''] : []),
    ...(example === undefined ? [] : ['Example of a body:', '', ...renderExample(example), '']),
    `Answer ${answer.status}: ${answer.says}${outputs.length > 0 ? ':' : '.'}`,
    '',
    ...(outputs.length > 0 ? [...outputs, ''] : []),
  ];
}

function renderExample(example: Readonly<Record<string, unknown>>): string[] {
  return ['```json', JSON.stringify(example, null, 2), '```'];
}

/** Describes the members of an object, and those of objects in it, as nested lists. */
function describeMembers({ properties = {}, required = [] }: JsonSchemaObject, indent = ''): string[] {
  return Object.entries(properties as Properties).flatMap(([name, schema]) => {
    const isNeeded = (required as readonly string[]).includes(name);
    const facts = [describeType(schema), ...(isNeeded ? [] : ['optional'])];
    const { default: byDefault } = schema;
    const description = findDescription(schema);
    if (byDefault !== undefined) facts.push(`by default \`${JSON.stringify(byDefault)}\``);
    const text = `${indent}- \`${name}\` (${facts.join(', ')})${description === undefined ? '' : `: ${description}`}`;
    return [text, ...listObjects(schema).flatMap((one) => describeMembers(one, `${indent}  `))];
  });
}

/** Returns the description of a schema; one of several forms may have it. */
function findDescription({ description, anyOf }: JsonSchemaObject): unknown {
  const forms = (Array.isArray(anyOf) ? anyOf : []) as readonly JsonSchemaObject[];
  return description ?? forms.find((one) => one['description'] !== undefined)?.['description'];
}

/** Lists the objects with named members that a value is, or is a list of. */
function listObjects(schema: JsonSchemaObject): JsonSchemaObject[] {
  const { properties, anyOf, items } = schema;
  if (properties !== undefined) return [schema];
  if (items !== undefined) return listObjects(items as JsonSchemaObject);
  return ((anyOf ?? []) as readonly JsonSchemaObject[]).flatMap((one) => listObjects(one));
}

function describeType({
  type,
  enum: values,
  anyOf,
  items,
  format,
  minimum,
  maximum,
}: JsonSchemaObject): string {
  if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join(' or ');
  if (Array.isArray(anyOf)) return anyOf.map((one: JsonSchemaObject) => describeType(one)).join(' or ');
  if (type === 'array') return `list of ${describeType((items ?? {}) as JsonSchemaObject)}`;
  if (format === 'date-time') return 'ISO 8601 time';
  if (typeof maximum === 'number' && typeof minimum === 'number' && maximum < Number.MAX_SAFE_INTEGER)
    return `${type} from ${minimum} to ${maximum}`;
  return String(type ?? 'any value');
}

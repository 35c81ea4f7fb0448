import type { JsonSchema } from '../../src/rpc/codec/codec.ts';
import { ERRORS } from '../../src/rpc/errors.ts';
import type { Method } from '../../src/rpc/method.ts';
import { describeResult } from '../../src/rpc/openrpc.ts';

const HEAD = `# Methods

<!-- Written by scripts/write-docs.ts from src/methods; do not edit. -->

This page lists every method with its parameters, its result and an example. Parameters are passed by position. \`null\` for an optional parameter or field counts as absent. A quantity is a hex
integer with \`0x\` and without leading zeros; hex is accepted in either case. Unknown fields of objects are ignored.
The section [Objects](#objects) describes objects, and [errors.md](errors.md) describes errors.
`;

/** Title of an object that is described in place. */
const BLOCK_BY_HASH = 'EIP-1898 object';

/**
 * Renders the page `docs/methods.md`.
 * @param commands shell commands to paste, which the development networks answer
 */
export function renderMethodsPage<C>(methods: readonly Method<C>[], commands: readonly string[]): string {
  const objects = new Map<string, JsonSchema>();
  const sections = methods.map((method) => renderMethod(method, objects));
  const tables = [...objects].map(([title, schema]) => `### ${title}\n\n${renderFields(schema)}\n`);
  const attempts = `While \`portcullis start\` runs, paste these commands into a second terminal:\n\n\`\`\`sh\n${commands.join('\n')}\n\`\`\`\n`;
  return [HEAD, attempts, ...sections, '## Objects\n', ...tables].join('\n');
}

/** Renders a method, and adds the objects that it refers to to `objects`, by title. */
function renderMethod<C>(method: Method<C>, objects: Map<string, JsonSchema>): string {
  const result = describeResult(method);
  for (const { codec } of method.params) collectObjects(codec.jsonSchema, objects);
  collectObjects(result, objects);
  const description = method.description === undefined ? '' : ` ${method.description}`;
  const sections = [
    `## ${method.name}`,
    `${method.summary}${description}`,
    renderParams(method),
    `Result: ${describeForm(result)}. Cost: ${method.cost}.${renderErrors(method)}`,
    renderExample(method),
  ];
  return `${sections.join('\n\n')}\n`;
}

function renderParams<C>({ params }: Method<C>): string {
  if (params.length === 0) return 'No parameters.';
  const rows = params.map(({ name, required, codec, description }, i) => {
    const form = describeForm(codec.jsonSchema);
    return `| ${i} | ${name} | ${required ? 'yes' : 'no'} | ${form} | ${description} |`;
  });
  return ['| # | Parameter | Required | Form | Meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}

function renderErrors<C>({ errors }: Method<C>): string {
  if (errors.length === 0) return '';
  const names = errors.map((name) => `${name} (${ERRORS[name].code})`);
  return ` Errors in addition to the errors of every request: ${names.join(', ')}.`;
}

function renderExample<C>({ name, example }: Method<C>): string {
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: example.params });
  const response = JSON.stringify({ jsonrpc: '2.0', id: 1, result: example.result });
  return ['```', `>> ${request}`, `<< ${response}`, '```'].join('\n');
}

/** Renders the members of an object, or the key and value of a map. */
function renderFields(schema: JsonSchema): string {
  const properties = readProperties(schema);
  if (properties === undefined) {
    const { propertyNames, additionalProperties } = schema as Record<string, JsonSchema>;
    return `A map from ${describeForm(propertyNames ?? {})} to ${describeForm(additionalProperties ?? {})}.`;
  }
  const required = new Set(schema['required'] as readonly string[] | undefined);
  const rows = Object.entries(properties)
    .filter(([, field]) => field['not'] === undefined)
    .map(([name, field]) => {
      const presence = required.has(name) ? 'yes' : 'no';
      return `| ${name} | ${presence} | ${describeForm(field)} | ${field['description'] ?? ''} |`;
    });
  return ['| Field | Required | Form | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** Collects titled objects and maps of a schema: `describeForm` links to each of them. */
function collectObjects(schema: JsonSchema, objects: Map<string, JsonSchema>): void {
  if (isObjectWithTitle(schema) && schema['title'] !== BLOCK_BY_HASH)
    objects.set(schema['title'] as string, schema);
  const { items, additionalProperties } = schema;
  const inner = [items, additionalProperties, ...listAlternatives(schema)];
  for (const child of [...inner, ...Object.values(readProperties(schema) ?? {})]) {
    if (typeof child === 'object' && child !== null) collectObjects(child as JsonSchema, objects);
  }
}

function listAlternatives({ oneOf, anyOf }: JsonSchema): readonly unknown[] {
  const alternatives = oneOf ?? anyOf;
  return Array.isArray(alternatives) ? alternatives : [];
}

function isObjectWithTitle(schema: JsonSchema): boolean {
  return schema['type'] === 'object' && typeof schema['title'] === 'string';
}

function readProperties(schema: JsonSchema): Readonly<Record<string, JsonSchema>> | undefined {
  return schema['properties'] as Readonly<Record<string, JsonSchema>> | undefined;
}

function describeForm(schema: JsonSchema): string {
  const alternatives = (schema['oneOf'] ?? schema['anyOf']) as readonly JsonSchema[] | undefined;
  if (alternatives !== undefined) return alternatives.map(describeForm).join(', or ');
  const { title, type, items, enum: values, required } = schema;
  if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join(', ');
  if (title === BLOCK_BY_HASH) return `\`{${(required as string[]).join(', ')}}\` (EIP-1898)`;
  if (isObjectWithTitle(schema))
    return `[${title}](#${(title as string).replaceAll(' ', '-').toLowerCase()})`;
  if (typeof title === 'string') return title;
  if (type === 'array') return `array of ${describeForm(items as JsonSchema)}`;
  return String(type);
}

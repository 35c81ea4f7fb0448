import { readFileSync } from 'node:fs';
import { annotateYaml } from '../../src/config/annotate-yaml.ts';
import {
  type ConfigOption,
  listForms,
  listOptions,
  type OptionSchema,
  readJsonSchema,
} from '../../src/config/json-schema.ts';

const HEAD = `# Configuration

<!-- Written by scripts/write-docs.ts from the schemas of the options; do not edit. -->

The configuration is one YAML file. \`portcullis init\` writes a first one, \`portcullis check-config FILE\` checks it, and
\`portcullis serve --config FILE\` serves it. Only \`networks\` is required, and each network needs one of \`builtin\`, \`embedded\` and
\`upstreams\`. [portcullis.example.yaml](../portcullis.example.yaml) has every option in its place.

- **Durations** have a unit: \`250ms\`, \`5s\`, \`1.5m\` (or \`min\`), \`2h\`, \`1d\`. A space before the unit is allowed.
- **Sizes** are a number of bytes, or have a unit in any case: \`kB\`, \`MB\`, \`GB\` are powers of 1000, and \`KiB\`, \`MiB\`, \`GiB\` are powers of
  1024. A space before the unit is allowed.
- **Paths** that are relative start at the folder of the file.
- **Environment variables**: \`\${NAME}\` is replaced in \`networks.NAME.upstreams\`, \`networks.NAME.send.private\`, \`networks.NAME.rollup.l1\`,
  \`networks.NAME.rollup.opNode\`, \`access.valkey.url\`, \`cache.redis.url\`, \`admin.key\`, \`admin.api.NAME.token\`,
  \`tracing.endpoint\` and \`tracing.headers\`; anywhere else it is an error. PORTCULLIS_HOST, PORTCULLIS_PORT,
  PORTCULLIS_ADMIN_PORT (a port, or \`off\`) and PORTCULLIS_DATA_DIR override the file.
- **NAME** in a path is a name that you choose, and \`[]\` is each entry of a list.

Editors check and complete the file with the JSON Schema [portcullis.schema.json](portcullis.schema.json), if its first line names the
schema, as in the files of \`portcullis init\`:

\`\`\`yaml
# yaml-language-server: $schema=node_modules/portcullis/docs/portcullis.schema.json
\`\`\`

## Top level
`;

const TABLE = `
| Option | Type | Default | What it does |
|---|---|---|---|
`;

/** Sections below the top level whose options have a table of their own. */
const OWN_TABLES: ReadonlySet<string> = new Set([
  'networks.NAME',
  'networks.NAME.upstreams[]',
  'networks.NAME.pool',
  'networks.NAME.rollup',
]);

/** Renders the page `docs/configuration.md`. */
export function renderConfigPage(): string {
  const tables = new Map<string, ConfigOption[]>([['', []]]);
  for (const option of listOptions()) {
    const section = findSection(option.path);
    tables.set(section, [...(tables.get(section) ?? []), option]);
  }
  const parts = [...tables].map(([section, options]) => {
    const heading = section === '' ? '' : `\n## \`${section}\`\n`;
    return `${heading}${TABLE}${options.map(renderRow).join('\n')}\n`;
  });
  return `${HEAD}${parts.join('')}`;
}

/** Returns the longest section with a table of its own that contains an option. */
function findSection(path: string): string {
  const [top = '', ...rest] = path.split('.');
  if (rest.length === 0) return '';
  const sections = [...OWN_TABLES].filter((section) => path.startsWith(`${section}.`));
  return sections.sort((a, b) => b.length - a.length)[0] ?? top;
}

function renderRow({ path, schema, isRequired }: ConfigOption): string {
  const byDefault = isRequired ? 'required' : renderDefault(schema);
  return `| \`${path}\` | ${renderType(schema)} | ${byDefault} | ${(schema.description ?? '').replaceAll('|', '\\|')} |`;
}

function renderDefault({ default: value }: OptionSchema): string {
  if (value === undefined) return '';
  // The default of a section is not shown, because the rows of its options show theirs.
  const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isSection && Object.values(value).every((one) => typeof one === 'object')) return '';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** Names the type of an option in the words of the configuration file. */
function renderType(schema: OptionSchema): string {
  if (schema.title !== undefined) return schema.title;
  const names = listForms(schema).flatMap((one) => renderSimpleType(one) ?? []);
  return [...new Set(names)].join(' or ');
}

function renderSimpleType({
  type,
  enum: values,
  const: value,
  items,
  ...schema
}: OptionSchema): string | undefined {
  if (values !== undefined) return values.map((one) => `\`${one}\``).join(', ');
  if (value !== undefined) return `\`${value}\``;
  switch (type) {
    case 'string':
      return 'text';
    case 'boolean':
      return '`true`, `false`';
    case 'integer':
    case 'number':
      return renderNumber(type === 'integer' ? 'whole number' : 'number', schema);
    case 'array':
      return items === undefined ? 'list' : `list of ${renderType(items)}`;
    case 'object':
      return 'map';
    default:
      return undefined;
  }
}

function renderNumber(name: string, { minimum, exclusiveMinimum, maximum }: OptionSchema): string {
  const bounds = [
    ...(minimum === undefined ? [] : [`from ${minimum.toLocaleString('en-US')}`]),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum.toLocaleString('en-US')}`]),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
      ? []
      : [`to ${maximum.toLocaleString('en-US')}`]),
  ];
  return [name, ...bounds].join(' ');
}

/** Renders `docs/portcullis.schema.json`. */
export function renderConfigSchema(): string {
  const { $schema, ...rest } = readJsonSchema() as OptionSchema & { readonly $schema?: string };
  const document = { $schema, title: 'Configuration of Portcullis', ...rest };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** The script runs as build/scripts/docs/config-docs.js. */
const TEMPLATE = new URL('../../../scripts/docs/example-template.yaml', import.meta.url);

/** Renders `portcullis.example.yaml`. */
export function renderExampleConfig(): string {
  return annotateYaml(readFileSync(TEMPLATE, 'utf8'));
}

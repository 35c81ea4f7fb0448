import { ERRORS } from '../../src/rpc/errors.ts';
import { BOUND_NAMES, BOUNDS, type BoundName, listErrors } from '../../src/util/bounds.ts';

/** Markers around the table of bounds in docs/bounds.md. */
const BEGIN = '<!-- bounds: written by npm run docs from src/util/bounds.ts -->\n';
const END = '<!-- end of bounds -->\n';

const HEAD = `
| Bound | What it counts | By default | Option | A refusal | What to do |
|---|---|---|---|---|---|
`;

/** Replaces the table of bounds of a page. @param page Markdown text @throws Error where the page has no markers */
export function renderBounds(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the page has no lines ${BEGIN.trim()} and ${END.trim()}`);
  const rows = BOUND_NAMES.map(describeBound).join('\n');
  return `${page.slice(0, begin)}${BEGIN}${HEAD}${rows}\n\n${page.slice(end)}`;
}

function describeBound(name: BoundName): string {
  const { counts, unit, byDefault, option, remedy } = BOUNDS[name];
  const number = byDefault === undefined ? 'none' : `${byDefault.toLocaleString('en-US')} ${unit}`;
  const source = option === undefined ? 'fixed' : `\`${option}\``;
  return `| \`${name}\` | ${counts} | ${number} | ${source} | ${describeRefusals(name)} | ${remedy} |`;
}

/** Returns code, HTTP status and message of the errors of a bound. */
function describeRefusals(name: BoundName): string {
  const { says, closes } = BOUNDS[name];
  const errors = listErrors(name).map((row) => {
    const { code, status } = ERRORS[row];
    return `[${row}](errors.md), ${code}, HTTP ${status}`;
  });
  const words = `\`${says.replace('{}', '…')}\``;
  const ends = [
    ...(errors.length > 0 ? [errors.join(' or ')] : []),
    ...(closes === undefined ? [] : [closes]),
  ];
  return `${words}: ${ends.join('; ')}`;
}

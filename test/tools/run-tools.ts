/**
 * Runs each third-party tool, unmodified, on a bare node and on the same node behind the program, and requires equal output. With `--write`
 * it writes the table of docs/clients.md, in which tools that were not run keep their rows. Exits with 1 when a tool fails, and when one
 * cannot be installed and PORTCULLIS_REQUIRE_ALL is set. `ONLY=text` runs the tools with the text in their name.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/program-files.ts';
import { ABIGEN } from './abigen.ts';
import { APE } from './ape.ts';
import { CRYO } from './cryo.ts';
import { ETHEREUM_ETL } from './ethereum-etl.ts';
import { FORGE } from './forge.ts';
import { HARDHAT } from './hardhat.ts';
import { OPENZEPPELIN_UPGRADES } from './openzeppelin-upgrades.ts';
import { PONDER } from './ponder.ts';
import { openStage, type ToolPlace, waitForHead } from './stage.ts';
import { SUBSQUID } from './subsquid.ts';
import { TITANOBOA } from './titanoboa.ts';
import { folderOf, type Tool, type ToolNode } from './tool.ts';
import { VIEM_TEST_CLIENT } from './viem-test-client.ts';
import { WEB3J } from './web3j.ts';

const PAGE = join(ROOT, 'docs/clients.md');
const ONLY = process.env['ONLY'] ?? '';
const NODES: readonly ToolNode[] = ['anvil', 'geth', 'embedded'];
const SHOWN_CHARACTERS = 600;
const TOOLS: readonly Tool[] = [
  ETHEREUM_ETL,
  PONDER,
  VIEM_TEST_CLIENT,
  HARDHAT,
  OPENZEPPELIN_UPGRADES,
  SUBSQUID,
  FORGE,
  TITANOBOA,
  APE,
  ABIGEN,
  WEB3J,
  CRYO,
];

type Row = {
  readonly tool: Tool;
  readonly version?: string;
  /** Reason why the tool is not installed. */
  readonly absence?: string;
  readonly results: ReadonlyMap<ToolNode, string>;
};

/** @returns `equal`, or the difference */
async function check(tool: Tool, place: ToolPlace): Promise<string> {
  const folder = folderOf(tool.name);
  const runBare = ({ bare }: ToolPlace): Promise<string> => tool.run(bare, folder);
  const runThrough = async (one: ToolPlace): Promise<string> => {
    await waitForHead(one);
    return tool.run(tool.development?.includes(one.node) ? one.development : one.through, folder);
  };
  const runOn = (run: (place: ToolPlace) => Promise<string>): Promise<string> =>
    tool.writes ? runOnFreshNode(place.node, run) : run(place);
  let side = 'bare';
  try {
    const expected = await runOn(runBare);
    side = 'through the service';
    if (expected.trim() === '') return 'nothing came out of the bare node';
    const found = await runOn(runThrough);
    return found === expected ? 'equal' : `differs: ${firstDifference(expected, found)}`;
  } catch (error) {
    return `${side}: ${(error as Error).message}`;
  }
}

async function runOnFreshNode(node: ToolNode, run: (place: ToolPlace) => Promise<string>): Promise<string> {
  const { places, close } = await openStage([node]);
  try {
    const [place] = places;
    if (place === undefined) throw new Error(`no ${node} was started`);
    return await run(place);
  } finally {
    await close();
  }
}

function firstDifference(expected: string, found: string): string {
  const lines = found.split('\n');
  const line = expected.split('\n').findIndex((text, index) => text !== lines[index]);
  const shown = (text = 'nothing'): string => text.slice(0, SHOWN_CHARACTERS);
  return `line ${line + 1}, node ${shown(expected.split('\n')[line])}, through the service ${shown(lines[line])}`;
}

async function tryTool(tool: Tool, places: readonly ToolPlace[]): Promise<Row> {
  const results = new Map<ToolNode, string>();
  let version: string;
  try {
    version = await tool.install(folderOf(tool.name));
  } catch (error) {
    return { tool, absence: (error as Error).message, results };
  }
  for (const place of places.filter(({ node }) => tool.nodes.includes(node)))
    results.set(place.node, await check(tool, place));
  return { tool, version, results };
}

function renderTools(rows: readonly Row[]): string {
  const lines = rows.map(({ tool, version = 'not installed', results, absence }) => {
    const cells = NODES.map((node) => {
      if (!tool.nodes.includes(node)) return '-';
      return absence !== undefined ? 'not run' : results.get(node) === 'equal' ? 'equal' : 'no';
    });
    return `| ${tool.name} | ${version} | ${tool.does} | ${cells.join(' | ')} |`;
  });
  const head = `| tool | version | what it did | ${NODES.join(' | ')} |\n|${'---|'.repeat(3 + NODES.length)}`;
  return [head, ...lines].join('\n');
}

const MARK = '<!-- tools: written by npm run check -- tools --write -->';
const TABLE = new RegExp(`${MARK}\\n([\\s\\S]*?)\\n<!-- end -->`);

/** @returns the table of the page, in which rows of tools that were not run are unchanged */
function mergeTools(page: string, table: string): string {
  const [title = '', rule = '', ...found] = table.split('\n');
  const nameOf = (row: string): string => row.split('|')[1]?.trim() ?? '';
  const written =
    TABLE.exec(page)?.[1]
      ?.split('\n')
      .filter((line) => line.startsWith('| ')) ?? [];
  const rows = new Map([...written.slice(1), ...found].map((row) => [nameOf(row), row]));
  const known = TOOLS.flatMap(({ name }) => rows.get(name) ?? []);
  return [title, rule, ...known].join('\n');
}

// A process that a signal ends does not end its children; one that exits does.
for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)
  process.once(signal, () => process.exit(code));
const stage = await openStage(NODES);
const rows: Row[] = [];
for (const tool of TOOLS.filter(({ name }) => name.includes(ONLY))) {
  const row = await tryTool(tool, stage.places);
  rows.push(row);
  if (row.absence !== undefined) console.log(`${tool.name}: NOT INSTALLED, ${row.absence}`);
  for (const [node, result] of row.results) console.log(`${tool.name} ${row.version} on ${node}: ${result}`);
}
await stage.close();
const absent = rows.filter(({ absence }) => absence !== undefined);
const faults = rows.flatMap(({ results }) => [...results.values()]).filter((result) => result !== 'equal');
const table = renderTools(rows);
if (process.argv.includes('--write')) {
  const page = readFileSync(PAGE, 'utf8');
  const merged = mergeTools(page, table);
  writeFileSync(
    PAGE,
    page.replace(TABLE, () => `${MARK}\n\n${merged}\n\n<!-- end -->`),
  );
}
console.log(
  `\n${table}\n\ntools ${rows.length - absent.length}, not installed ${absent.length}, faults ${faults.length}`,
);
const isRequired = process.env['PORTCULLIS_REQUIRE_ALL'] === '1';
process.exitCode = faults.length > 0 || (isRequired && absent.length > 0) ? 1 : 0;

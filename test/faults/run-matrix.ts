/** Runs the whole matrix. Prints one last line; exits with 1 unless every cell is correct. */

import type { Cell } from './caller.ts';
import { FAULTS } from './catalogue.ts';
import { type Group, listGroups, nameGroup } from './matrix.ts';
import { listSettings, NETWORKS, type NetworkSetting, nameSetting } from './networks.ts';
import { runGroup } from './run-group.ts';
import { runNetwork } from './run-network.ts';
import { openStage } from './stage.ts';

/** Number of groups that run at the same time; they mostly wait. */
const PARALLEL = Number(process.env['PARALLEL'] ?? 3);
/** Selects settings whose name contains this text. */
const ONLY = process.env['ONLY'] ?? '';

const stage = await openStage();
const cells: Cell[] = [];
const verdicts = new Map<string, number>();
let reached = 0;
try {
  const groups = listGroups(FAULTS).filter((group) => nameGroup(group).includes(ONLY));
  const settings = listSettings(NETWORKS).filter((setting) => nameSetting(setting).includes(ONLY));
  const waiting = [
    ...groups.map((group) => () => report(group)),
    ...settings.map((setting) => () => reportNetwork(setting)),
  ];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  console.log(`the faulty upstream was asked while it was faulty in ${reached} of ${groups.length} settings`);
} finally {
  await stage.close();
}

async function report(group: Group): Promise<void> {
  const result = await runGroup(stage, group);
  if (result.faultyCalls > 0) reached++;
  for (const cell of result.cells) {
    note(cell);
    if (!group.circumstance.hasGoodNodes) verdicts.set(cell.verdict, (verdicts.get(cell.verdict) ?? 0) + 1);
  }
}

async function reportNetwork(setting: NetworkSetting): Promise<void> {
  for (const cell of await runNetwork(stage, setting)) note(cell);
}

function note(cell: Cell): void {
  cells.push(cell);
  if (!cell.isCorrect) console.log(`${cell.name}\n    ${cell.detail}`);
}

const counts = [...verdicts].map(([verdict, count]) => `${count} ${verdict}`);
console.log(`with the faulty upstream alone: ${counts.join(', ')}`);
const right = cells.filter(({ isCorrect }) => isCorrect).length;
console.log(`${right} of ${cells.length} cells right`);
process.exitCode = right === cells.length && cells.length > 0 ? 0 : 1;

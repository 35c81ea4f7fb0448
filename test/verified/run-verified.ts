/**
 * `npm run check -- verified --share 0.01 --source geth --only eth_getBlock --setting streamed`: nodes that lie about one thing after the
 * other, and the answers that clients get; then true nodes, recorded ones and a geth, of which no answer may be refuted. `--share 1
 * --every` makes each change in each setting, which takes a day. Ends with two lines; exits with 1 where a change was missed that a root
 * covers, or a true answer was refuted.
 */
import { parseArgs } from 'node:util';
import { readSamples } from '../packages/proofs/samples.ts';
import { openFigures, runCases } from './run-cases.ts';
import { askSample, fuzzTrueNodes, isOfNode, type TrueFigures } from './run-true-nodes.ts';
import { SOURCES } from './sources.ts';
import { DERIVED, MAY_BE_ABSENT, UNCOVERED, UNCOVERED_FEES } from './uncovered.ts';

const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '0.005' },
    every: { type: 'boolean', default: false },
    blocks: { type: 'string', default: '6' },
    source: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    setting: { type: 'string', default: '' },
    parallel: { type: 'string', default: '4' },
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: process.env['PORTCULLIS_SEED'] ?? '1' },
  },
});
/** Number of missed changes that are printed. */
const SHOWN = 60;
/** Sources of true answers to generated requests. The genesis block of anvil does not commit to its state. */
const FUZZED = ['geth', 'devnet'];

const figures = openFigures();
const trueFigures: TrueFigures = { requested: 0, falseAlarms: figures.falseAlarms };
const sources = SOURCES.filter(({ name, skip }) => {
  const isChosen = name.includes(values.source);
  if (isChosen && skip !== false) console.log(`${name}: skipped: ${skip}`);
  return isChosen && skip === false;
});
const options = {
  maxBlocks: Number(values.blocks),
  stride: 1,
  share: Number(values.share),
  seed: Number(values.seed),
  isEvery: values.every,
  only: values.only,
  setting: values.setting,
  parallel: Number(values.parallel),
};
const requests = Number(values.requests);
console.log(`seed ${values.seed}`);
const fuzzed = sources.filter(({ name }) => FUZZED.includes(name));
for (const source of sources) {
  const truth = await source.open();
  const others = SOURCES.filter((other) => other !== source && other.skip === false);
  const alien = await others[SOURCES.indexOf(source) % others.length]?.open();
  await runCases(truth, alien, options, figures);
  if (fuzzed.includes(source)) {
    await fuzzTrueNodes(truth, Math.ceil(requests / fuzzed.length), Number(values.seed), trueFigures);
  }
  await truth.close();
  await alien?.close();
}
const samples = values.only === '' ? (readSamples() ?? []).filter(isOfNode) : [];
for (const [i, sample] of samples.entries())
  await askSample(sample, i % 2 === 0 ? 'HTTP' : 'WebSocket', trueFigures);

for (const line of figures.falseAlarms) console.log(`false alarm: ${line}`);
for (const line of figures.missed.slice(0, SHOWN)) console.log(`missed: ${line}`);
for (const line of figures.denied.slice(0, SHOWN)) console.log(`denied: ${line}`);
console.log('members that no root covers, and methods that are not verified, passed on changed:');
for (const [name, count] of [...figures.told].sort()) {
  const why =
    UNCOVERED[name] ?? UNCOVERED_FEES[name] ?? MAY_BE_ABSENT[name] ?? 'one node’s word, not called proven';
  console.log(`  ${name}: ${count} times: ${why}`);
}
console.log('members that are derived:');
for (const [name, how] of Object.entries(DERIVED)) console.log(`  ${name}: ${how}`);
const { truth, refused, unproven, told, missed } = figures.verdicts;
console.log(
  `${sources.length} sources, ${figures.methods} methods, ${figures.cases} changes: ${truth} times the truth, ${refused} refused, ${unproven} of the only node not called proven, ` +
    `${told} not covered by a root; ${missed} missed, ${figures.denied.length} refused although two of three nodes tell the truth`,
);
console.log(
  `${samples.length} recorded blocks, ${trueFigures.requested} true answers: ${figures.falseAlarms.length} false alarms`,
);
process.exitCode = missed > 0 || figures.falseAlarms.length > 0 || figures.cases === 0 ? 1 : 0;

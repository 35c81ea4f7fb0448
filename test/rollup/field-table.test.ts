/** Source of each number, family by family, found by removing the node's own methods one at a time and changing every other reported value one at a time. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { loadFamily } from '../../src/rollup/family-table.ts';
import type { RollupSources } from '../../src/rollup/rollup-family.ts';
import { type Answers, createRecordedChain, listAnswers, MESSAGE_SERVICE } from './recorded-chain.ts';
import { PLAIN, RECORDED, type RecordedFamily } from './recorded-nodes.ts';
import { createScriptedChain, makeHeader, makeSources, SCOPE } from './scripted-chain.ts';

/**
 * native: returned by the node's own method. synthesised: computed from standard methods, the chain's contracts, layer 1 or the configuration. fixed: always
 * 0, which is correct. unknowable: 0 because it has no source.
 */
type Origin = 'native' | 'synthesised' | 'fixed' | 'unknowable';

const FIELDS = [
  ...['gasLimit', 'baseFeePerGas', 'priorityFeePerGas', 'mode', 'syncing'],
  ...['ethContext.blockNumber', 'ethContext.timestamp'],
  ...['rollupContext.queueIndex', 'rollupContext.index', 'rollupContext.verifiedIndex'],
] as const;

const ESTIMATE = 'native native native';
const SYNTHESISED = 'synthesised synthesised synthesised';
const NODE = 'synthesised synthesised synthesised synthesised';
/** Origins in the order of `FIELDS`. */
const TABLE: Readonly<Record<string, string>> = {
  linea: `${SYNTHESISED} ${NODE} synthesised synthesised synthesised`,
  'linea with its plugin': `${ESTIMATE} ${NODE} synthesised synthesised synthesised`,
  'op-stack': `${SYNTHESISED} ${NODE} unknowable synthesised synthesised`,
  mantle: `${SYNTHESISED} ${NODE} unknowable synthesised synthesised`,
  arbitrum: `synthesised synthesised fixed ${NODE} synthesised synthesised synthesised`,
  scroll: `synthesised synthesised native synthesised synthesised native synthesised native synthesised native`,
  morph: `${SYNTHESISED} ${NODE} unknowable synthesised synthesised`,
  zksync: `native synthesised fixed ${NODE} unknowable synthesised synthesised`,
  'polygon-zkevm': `synthesised fixed native ${NODE} unknowable synthesised native`,
  taiko: `${SYNTHESISED} synthesised synthesised native synthesised unknowable synthesised native`,
  l2geth: `synthesised fixed synthesised native native native native native native native`,
  ethereum: `${SYNTHESISED} ${NODE} unknowable synthesised synthesised`,
};

const CALL = { from: `0x${'22'.repeat(20)}`, to: `0x${'33'.repeat(20)}`, data: '0xa9059cbb', nonce: '0x1' };

const RECORDS = [...RECORDED, PLAIN];

/** All fields as text; the fields of a part that fails are `failed`. */
async function readFields(
  record: RecordedFamily,
  answers: Answers,
  rest: Partial<RollupSources>,
): Promise<readonly string[]> {
  const row = await loadFamily(record.name);
  const chain = createRecordedChain(answers, record.chainId);
  const family = row.create(makeSources(chain, { messageService: MESSAGE_SERVICE, ...rest }));
  const request = { call: CALL, block: { kind: 'tag', tag: 'latest' } } as const;
  const [estimate, info] = await Promise.allSettled([family.estimateGas(request, SCOPE), family.info(SCOPE)]);
  const parts =
    estimate.status === 'rejected'
      ? FIELDS.slice(0, 3).map(() => 'failed')
      : [estimate.value.gasLimit, estimate.value.baseFeePerGas, estimate.value.priorityFeePerGas];
  if (info.status === 'rejected') return [...parts.map(String), ...FIELDS.slice(3).map(() => 'failed')];
  const { mode, syncing, ethContext, rollupContext } = info.value;
  return [
    ...parts,
    mode,
    syncing,
    ethContext.blockNumber,
    ethContext.timestamp,
    rollupContext.queueIndex,
    rollupContext.index,
    rollupContext.verifiedIndex,
  ].map(String);
}

/** Returns the value with every number increased by 20 or more: costs are spread over the gas, so rounding would hide a smaller change. */
function raise(value: unknown): unknown {
  if (typeof value === 'number') return value + 20;
  if (typeof value === 'boolean') return { currentBlock: '0x1' };
  if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/.test(value)) {
    const raised = BigInt(value) + (value.length > 20 ? 2_000_000n : 20n);
    return `0x${raised.toString(16).padStart(value.length - 2, '0')}`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { hash, ...rest } = value as Readonly<Record<string, unknown>>;
  const raised = Object.entries(rest).map(([name, member]) => [name, raise(member)]);
  return { ...Object.fromEntries(raised), ...(hash !== undefined && { hash }) };
}

const isOwn = (method: string): boolean => !/^(eth|web3)_/.test(method);

function createLayer1(number: bigint) {
  const latest = makeHeader({ number, timestamp: 1_764_000_000n + number });
  return createScriptedChain({ headers: { latest } }).chain;
}

/** Fields in which two results differ. */
function compare(one: readonly string[], other: readonly string[]): Set<string> {
  return new Set(FIELDS.filter((_, i) => one[i] !== other[i]));
}

async function findOrigins(record: RecordedFamily): Promise<Map<string, Origin>> {
  const answers = listAnswers(record);
  const alone = await readFields(record, answers, {});
  const beside: Partial<RollupSources> = { l1: createLayer1(23_800_000n).blocks };
  const whole = await readFields(record, answers, beside);
  const native = new Set<string>();
  const worked = new Set<string>();
  for (const [method, answer] of Object.entries(answers)) {
    if (isOwn(method)) {
      const without = await readFields(record, { ...answers, [method]: undefined }, {});
      for (const field of compare(alone, without)) native.add(field);
    } else {
      const raised = { ...answers, [method]: (params: readonly unknown[]) => raise(answer?.(params)) };
      for (const field of compare(whole, await readFields(record, raised, beside))) worked.add(field);
      for (const field of compare(alone, await readFields(record, raised, {}))) worked.add(field);
    }
  }
  const others: Partial<RollupSources>[] = [
    { ...beside, mode: 'sequencer' },
    { ...beside, l1: createLayer1(23_900_000n).blocks },
  ];
  for (const other of others) {
    for (const field of compare(whole, await readFields(record, answers, other))) worked.add(field);
  }
  const { gaps } = await loadFamily(record.name);
  return new Map(
    FIELDS.map((field, i): [string, Origin] => {
      if (native.has(field)) return [field, 'native'];
      if (worked.has(field)) return [field, 'synthesised'];
      assert.equal(whole[i], '0', `${field} depends on nothing`);
      return [field, (gaps as Readonly<Record<string, string>>)[field] === 'always' ? 'unknowable' : 'fixed'];
    }),
  );
}

for (const record of RECORDS) {
  const { name, title = name } = record;
  describe(title, () => {
    let origins: ReadonlyMap<string, Origin>;
    before(async () => {
      origins = await findOrigins(record);
    });
    (TABLE[title] ?? '').split(' ').forEach((origin, i) => {
      const field = FIELDS[i] as string;
      test(`${field} is ${origin}`, () => assert.equal(origins.get(field), origin));
    });
  });
}

test('the table has every field of every record', () => {
  assert.deepEqual(
    Object.keys(TABLE),
    RECORDS.map(({ name, title = name }) => title),
  );
  for (const [title, row] of Object.entries(TABLE)) assert.equal(row.split(' ').length, FIELDS.length, title);
});

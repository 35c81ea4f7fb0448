/** Every result of every built-in chain against the schema that `/openrpc.json` publishes for it: no field is missing, none is undocumented. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { METHODS } from '../../src/methods/table.ts';
import { FACTS } from '../support/development.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { sendToNode } from '../support/faults/ask-node.ts';
import { type RunningService, startService } from '../support/service.ts';

type JsonSchema = {
  readonly type?: string;
  readonly title?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** For a map: the schema of its keys, and in `additionalProperties` that of its values. */
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
};

type Block = {
  readonly blockAccessListHash?: string;
  readonly transactions: readonly {
    readonly type: string;
    readonly hash: string;
    readonly from: string;
    readonly nonce: string;
  }[];
  readonly uncles: readonly string[];
};

const CHAINS = [
  { chain: 'devnet', style: 'linea', network: 'devnet' },
  { chain: 'rollup', style: 'linea', network: 'rollup' },
  { chain: 'op-rollup', style: 'op-stack', network: 'rollup' },
] as const;

const BY_NUMBER = [
  'eth_getHeaderByNumber',
  'eth_getBlockTransactionCountByNumber',
  'eth_getUncleCountByBlockNumber',
  'debug_getRawBlock',
  'debug_getRawHeader',
  'debug_getRawReceipts',
];
const BY_BLOCK_HASH = [
  'eth_getHeaderByHash',
  'eth_getBlockTransactionCountByHash',
  'eth_getUncleCountByBlockHash',
];
const BY_TRANSACTION_HASH = [
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getRawTransactionByHash',
  'debug_getRawTransaction',
];
const ABSENT = `0x${'5e'.repeat(20)}`;
/** Fields that only nodes return, and embedded chains do not. */
const OF_NODES = new Set(['resource.deleteStrategy']);

describe('results of the built-in chains', () => {
  const folder = makeTemporaryFolder();
  const services = new Map<string, RunningService>();
  const schemas = new Map<string, JsonSchema>();
  /** `title.field` of every object seen. */
  const seen = new Set<string>();
  const documented = new Set<string>();
  const types = new Set<string>();

  before(async () => {
    for (const { chain, style, network } of CHAINS) {
      const networks = { ...listBuiltinNetworks(style), defaultNetwork: network };
      services.set(chain, await startService({ ...networks, dataDir: folder.path }));
    }
    const { authority } = services.get('devnet') as RunningService;
    const document = (await (await fetch(`http://${authority}/openrpc.json`)).json()) as {
      methods: { name: string; result: { schema: JsonSchema } }[];
    };
    for (const { name, result } of document.methods) {
      schemas.set(name, result.schema);
      collectFields(result.schema, documented);
    }
  });
  after(async () => {
    for (const service of services.values()) await service.close();
    folder.remove();
  });

  async function ask(chain: string, method: string, params: readonly unknown[]): Promise<unknown> {
    const { authority } = services.get(chain) as RunningService;
    const answer = await sendToNode(`http://${authority}/v3/demo`, { method, params });
    assert.ok('result' in answer, `${method} ${JSON.stringify(params)}`);
    const { result } = answer;
    const row = METHODS.find(({ name }) => name === method);
    const checked = row?.result.schema.safeParse(result);
    assert.deepEqual(checked?.error?.issues, undefined, `${method} ${JSON.stringify(params)}`);
    assert.deepEqual(listUndocumented(schemas.get(method) as JsonSchema, result, method, seen), []);
    return result;
  }

  for (const { chain } of CHAINS) {
    test(`match their schemas for every block, transaction, receipt and uncle of ${chain}`, async () => {
      const { headNumber } = FACTS[chain];
      for (let n = 0; n <= headNumber; n++) {
        const number = `0x${n.toString(16)}`;
        const block = (await ask(chain, 'eth_getBlockByNumber', [number, true])) as Block & {
          hash: string;
        };
        await ask(chain, 'eth_getBlockByHash', [block.hash, false]);
        await ask(chain, 'eth_getBlockReceipts', [number]);
        await ask(chain, 'eth_getLogs', [{ fromBlock: number, toBlock: number }]);
        for (const method of BY_NUMBER) await ask(chain, method, [number]);
        for (const method of BY_BLOCK_HASH) await ask(chain, method, [block.hash]);
        if (block.blockAccessListHash !== undefined) {
          await ask(chain, 'eth_getBlockAccessList', [block.hash]);
          await ask(chain, 'debug_getRawBlockAccessList', [number]);
        }
        for (const [i, { type, hash, from, nonce }] of block.transactions.entries()) {
          types.add(type);
          const index = `0x${i.toString(16)}`;
          for (const kind of ['Transaction', 'RawTransaction']) {
            await ask(chain, `eth_get${kind}ByBlockNumberAndIndex`, [number, index]);
            await ask(chain, `eth_get${kind}ByBlockHashAndIndex`, [block.hash, index]);
          }
          for (const method of BY_TRANSACTION_HASH) await ask(chain, method, [hash]);
          const found = await ask(chain, 'eth_getTransactionBySenderAndNonce', [from, nonce]);
          assert.equal((found as { hash: string } | null)?.hash, hash);
        }
        for (const i of block.uncles.keys()) {
          await ask(chain, 'eth_getUncleByBlockNumberAndIndex', [number, `0x${i.toString(16)}`]);
          await ask(chain, 'eth_getUncleByBlockHashAndIndex', [block.hash, `0x${i.toString(16)}`]);
        }
      }
    });

    test(`match their schemas for calls, estimates and all other methods on ${chain}`, async () => {
      const { tokenBalance, tokenTransfer } = FACTS[chain].calls;
      for (const isFull of [false, true]) await ask(chain, 'eth_getBlockByNumber', ['pending', isFull]);
      await ask(chain, 'eth_call', [tokenBalance, 'latest']);
      await ask(chain, 'eth_estimateGas', [tokenTransfer]);
      await ask(chain, 'eth_createAccessList', [tokenTransfer]);
      await ask(chain, 'eth_createAccessList', [{ data: '0xfe' }]);
      const calls = [
        { ...tokenTransfer, value: '0x0' },
        { data: '0x5f5ffd' },
        { data: '0xfe', gas: '0x20000' },
      ];
      const simulation = { blockStateCalls: [{ calls }], returnFullTransactions: true };
      await ask(chain, 'eth_simulateV1', [simulation, 'latest']);
      const { from, to } = tokenTransfer;
      await ask(chain, 'eth_fillTransaction', [tokenTransfer]);
      const transfer = { from, to, gas: '0x5208' };
      for (const typed of [
        { gasPrice: '0x5' },
        { blobVersionedHashes: [`0x01${'00'.repeat(31)}`] },
        {
          authorizationList: [
            { chainId: '0x0', address: to, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' },
          ],
        },
      ])
        await ask(chain, 'eth_fillTransaction', [{ ...transfer, ...typed }]);
      const slots = ['0x2', `0x${'00'.repeat(31)}03`, '0x99'];
      for (const [account, block] of [
        [from, 'latest'],
        [to, 'pending'],
        [to, '0x1'],
        [ABSENT, 'latest'],
      ]) {
        await ask(chain, 'eth_getTransactionCount', [account, block]);
        await ask(chain, 'eth_getBalance', [account, block]);
        await ask(chain, 'eth_getCode', [account, block]);
        await ask(chain, 'eth_getAccountInfo', [account, block]);
        for (const slot of slots) await ask(chain, 'eth_getStorageAt', [account, slot, block]);
        await ask(chain, 'eth_getProof', [account, slots, block]);
      }
      await ask(chain, 'eth_getStorageValues', [{ [to]: [ABSENT.padEnd(66, '0')], [ABSENT]: [] }, 'latest']);
      for (const { name, params, needsRollup } of METHODS) {
        if (params.length === 0 && needsRollup !== true) {
          await ask(chain, name, []);
        }
      }
      await ask(chain, 'eth_feeHistory', ['0x400', 'latest', [0, 50, 100]]);
      if (chain === 'devnet') return;
      await ask(chain, 'l2_estimateGas', [tokenTransfer]);
      await ask(chain, 'rollup_getInfo', []);
    });
  }

  test('cover all transaction types and every documented field', () => {
    assert.deepEqual([...types].sort(), ['0x0', '0x1', '0x2', '0x3', '0x4']);
    assert.deepEqual(
      [...documented].filter((field) => !seen.has(field) && !OF_NODES.has(field)),
      [],
    );
  });

  test('are refused with a field that the schema does not have', () => {
    const schema = schemas.get('eth_getBlockByNumber') as JsonSchema;
    const result = { transactions: [{ surplus: 1 }], uncles: [], extra: 2 };
    assert.deepEqual(listUndocumented(schema, result, 'result', new Set()), [
      'result.transactions[0].surplus',
      'result.extra',
    ]);
  });
});

/** Lists paths of members that the schema does not name. Titles and names of known members are added to `seen`. */
function listUndocumented(schema: JsonSchema, value: unknown, path: string, seen: Set<string>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    const items = listAlternatives(schema).flatMap((one) => (one.items === undefined ? [] : [one.items]));
    return value.flatMap((item, i) => {
      const kind = Array.isArray(item) ? 'array' : 'object';
      const fit = items.find(({ type }) => (typeof item === 'object') === (type === kind));
      return fit === undefined ? [`${path}[${i}]`] : listUndocumented(fit, item, `${path}[${i}]`, seen);
    });
  }
  const {
    title,
    properties = {},
    propertyNames,
    additionalProperties,
  } = listAlternatives(schema).find(({ type }) => type === 'object') ?? {};
  const values = propertyNames === undefined ? undefined : additionalProperties;
  return Object.entries(value).flatMap(([name, member]) => {
    const documented = properties[name] ?? values;
    if (documented === undefined) return [`${path}.${name}`];
    seen.add(`${title}.${name}`);
    return listUndocumented(documented, member, `${path}.${name}`, seen);
  });
}

/** Returns a schema, or its alternatives. */
function listAlternatives(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf?.flatMap(listAlternatives) ?? [schema];
}

function collectFields(schema: JsonSchema, fields: Set<string>): void {
  for (const one of listAlternatives(schema)) {
    if (one.items !== undefined) collectFields(one.items, fields);
    for (const [name, member] of Object.entries(one.properties ?? {})) {
      fields.add(`${one.title}.${name}`);
      collectFields(member, fields);
    }
  }
}

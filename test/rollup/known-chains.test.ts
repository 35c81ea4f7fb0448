/**
 * Widely used chains of November 2026, as their nodes answer. Ids and names are viem's; clients are the versions that public nodes of the chain, or the
 * newest release of its program, report. A client with `?` is a guess: its program is known, its version text is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chain } from '../../src/chain/chain.ts';
import { ChainError, UNSUPPORTED } from '../../src/chain/errors.ts';
import { loadFamilies } from '../../src/rollup/family-table.ts';
import { KNOWN_CHAINS } from '../../src/rollup/known-chains.ts';
import { listSeen, recogniseFamily } from '../../src/rollup/recognise-family.ts';
import { answerWords } from './answer-words.ts';
import { createScriptedChain, makeHeader, SCOPE, type Script } from './scripted-chain.ts';

const FAMILIES = await loadFamilies();

const ORACLE = '0x420000000000000000000000000000000000000f';
const L1_BLOCK = '0x4200000000000000000000000000000000000015';
const OP_WORDS = { [`${ORACLE} 0x313ce567`]: 6n, [`${L1_BLOCK} 0x8381f58a`]: 23_000_000n };
const PLAIN_HEADER = '{"number":"0x1","extraData":"0x"}';

/** Marks that nodes of each family show besides their client and chain id. */
const SHOWN: Readonly<Record<string, Script>> = {
  'op-stack': { call: answerWords(OP_WORDS) },
  mantle: { call: answerWords({ ...OP_WORDS, [`${ORACLE} 0x06f837d3`]: 3_500n }) },
  scroll: { call: answerWords({ '0x5300000000000000000000000000000000000002 0x519b4bd3': 7n }) },
  morph: { call: answerWords({ '0x530000000000000000000000000000000000000f 0x519b4bd3': 7n }) },
  linea: {
    requests: {
      eth_getBlockByNumber: `{"number":"0x1","extraData":"0x010000753000f54e650000ea60${'00'.repeat(19)}"}`,
    },
  },
  arbitrum: {
    requests: {
      eth_getBlockByNumber: '{"number":"0x1","extraData":"0x","l1BlockNumber":"0x2","sendCount":"0x0"}',
    },
  },
  zksync: { requests: { zks_getBridgehubContract: `"0x${'30'.repeat(20)}"` } },
  'polygon-zkevm': { requests: { zkevm_consolidatedBlockNumber: '"0x5f"' } },
  taiko: { code: { '0x1670000000000000000000000000000000010001': '0x6080' } },
  l2geth: { requests: { rollup_gasPrices: '{"l1GasPrice":"0x1","l2GasPrice":"0x2"}' } },
  ethereum: {},
};

/** Name, client, family. */
const CHAINS: readonly (readonly [string, string, string])[] = [
  ['OP Mainnet', 'Geth/v1.101605.0-stable-3fbae78d/linux-amd64/go1.24.9', 'op-stack'],
  ['Base', 'base-reth-node/v0.14.1 ?', 'op-stack'],
  ['Unichain', 'Geth/v1.101605.0-stable/linux-amd64/go1.24.9', 'op-stack'],
  ['Ink', 'reth/v1.9.3-27a8c0f/x86_64-unknown-linux-gnu', 'op-stack'],
  ['World Chain', 'world-chain/v1.8.0 ?', 'op-stack'],
  ['Soneium', 'Geth/v1.101605.0-stable/linux-amd64/go1.24.9', 'op-stack'],
  ['Zora', 'Geth/v1.101605.0-stable/linux-amd64/go1.24.9', 'op-stack'],
  ['Mode', 'Geth/v1.101605.0-stable/linux-amd64/go1.24.9', 'op-stack'],
  ['Blast', 'Geth/v1.101411.4-stable-blast/linux-amd64/go1.23.0 ?', 'op-stack'],
  ['opBNB', 'Geth/v0.5.9-stable/linux-amd64/go1.23.0', 'op-stack'],
  ['Fraxtal', 'Geth/v1.101605.0-stable/linux-amd64/go1.24.9', 'op-stack'],
  ['Celo', 'Geth/celo-v2.1.5-stable/linux-amd64/go1.24.9', 'op-stack'],
  ['Katana', 'reth/v1.9.3-27a8c0f/x86_64-unknown-linux-gnu', 'op-stack'],
  ['MegaETH', 'mega-reth/v1.0.3 ?', 'op-stack'],
  ['RISE', 'rise-reth/v1.4.0 ?', 'op-stack'],
  ['Boba', 'erigon/2.61.3/linux-amd64/go1.22.0 ?', 'op-stack'],
  ['Linea', 'linea-besu/v26.4-develop/linux-x86_64/openjdk-java-21', 'linea'],
  ['Scroll', 'Geth/v5.10.4-mainnet/linux-amd64/go1.21.13', 'scroll'],
  ['Mantle', 'Geth/v1.101605.1-stable/linux-amd64/go1.24.9', 'mantle'],
  ['Metis', 'Geth/v1.9.10-stable/linux-amd64/go1.19.13 ?', 'l2geth'],
  ['Arbitrum One', 'nitro/v3.9.4-7f582c3/linux-amd64/go1.25.4', 'arbitrum'],
  ['Arbitrum Nova', 'nitro/v3.9.4-7f582c3/linux-amd64/go1.25.4', 'arbitrum'],
  ['Robinhood Chain', 'nitro/v3.9.4-7f582c3/linux-amd64/go1.25.4', 'arbitrum'],
  ['ApeChain', 'nitro/v3.7.6-fe7a6a0/linux-amd64/go1.23.12', 'arbitrum'],
  ['ZKsync Era', 'zkSync/v2.0', 'zksync'],
  ['Abstract', 'zkSync/v2.0', 'zksync'],
  ['Lens', 'zkSync/v2.0', 'zksync'],
  ['ZKsync OS Testnet', 'zksync-os/v0.12.1', 'zksync'],
  ['Taiko', 'reth/v1.9.3-alethia/x86_64-unknown-linux-gnu ?', 'taiko'],
  ['Polygon zkEVM', 'erigon/2.61.24/linux-amd64/go1.24.9', 'polygon-zkevm'],
  ['Morph', 'Geth/v2.1.3-stable/linux-amd64/go1.22.0 ?', 'morph'],
  ['Plasma', 'reth/v1.8.3-plasma/x86_64-unknown-linux-gnu ?', 'ethereum'],
  ['Monad', 'Monad/0.12.3', 'ethereum'],
  ['Ethereum', 'Geth/v1.17.8-stable/linux-amd64/go1.25.4', 'ethereum'],
  ['BNB Smart Chain', 'Geth/v1.6.5-bc2abeb0/linux-amd64/go1.24.9', 'ethereum'],
  ['Polygon PoS', 'bor/v2.5.3/linux-amd64/go1.25.4', 'ethereum'],
  ['Gnosis', 'Nethermind/v1.35.8+d6c8bd1f/linux-x64/dotnet10.0.1', 'ethereum'],
  ['Avalanche C-Chain', 'v0.15.4-rc.0', 'ethereum'],
  ['Sonic', 'Sonic/v2.1.3-stable/linux-amd64/go1.24.9', 'ethereum'],
  ['Berachain', 'bera-reth/v1.3.2/x86_64-unknown-linux-gnu', 'ethereum'],
];

type Manners = 'refuses' | 'null' | 'invalid';

/** A chain with this id whose nodes answer methods that they lack according to `manners`. */
function openChain(chainId: number, client: string, shown: Script, manners: Manners = 'refuses'): Chain {
  const requests = {
    eth_getBlockByNumber: PLAIN_HEADER,
    web3_clientVersion: JSON.stringify(client),
    ...shown.requests,
  };
  const { chain } = createScriptedChain({
    headers: { latest: makeHeader() },
    call: answerWords({}),
    ...shown,
    chainId: BigInt(chainId),
    requests,
  });
  const { request } = chain;
  chain.request = async (method, params, scope) => {
    const answer = await request(method, params, scope);
    if (answer !== UNSUPPORTED || manners === 'refuses') return answer;
    if (manners === 'null') return 'null';
    throw new ChainError('invalid', 'missing value for required argument 0');
  };
  return chain;
}

const idOf = (name: string): number =>
  Object.values(KNOWN_CHAINS)
    .flat()
    .find((known) => known.name === name)?.id ?? 0;

test('forty chains are listed, and each known chain id occurs once', () => {
  assert.equal(CHAINS.length, 40);
  const ids = Object.values(KNOWN_CHAINS).flatMap((chains) => chains.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(new Set(Object.keys(KNOWN_CHAINS)), new Set(FAMILIES.map(({ name }) => name)));
});

for (const [name, client, family] of CHAINS) {
  test(`${name} is recognised as ${family}, whatever its nodes answer to methods that they lack`, async () => {
    const id = idOf(name);
    assert.ok(id > 0);
    const shown = SHOWN[family] as Script;
    for (const manners of ['refuses', 'null', 'invalid'] as const) {
      const chain = openChain(id, client.replace(' ?', ''), shown, manners);
      const recognition = await recogniseFamily(chain, SCOPE, FAMILIES);
      assert.equal(recognition.row?.name, family, manners);
      assert.ok(listSeen(recognition).length > 0);
    }
  });

  test(`the chain id of ${name} is ignored if contracts and headers show another family`, async () => {
    const others = Object.entries(SHOWN).filter(
      ([other, shown]) => other !== family && (shown.call !== undefined || other === 'linea'),
    );
    for (const [other, shown] of others) {
      // An OP Stack chain has every mark of Mantle except for one contract.
      const chain = openChain(idOf(name), 'node/v1', shown);
      assert.equal((await recogniseFamily(chain, SCOPE, FAMILIES)).row?.name, other);
    }
  });
}

test('a chain with only the id of a family with predeploys is not recognised', async () => {
  for (const family of ['op-stack', 'mantle', 'scroll', 'morph', 'linea', 'arbitrum', 'taiko', 'zksync']) {
    for (const { id } of KNOWN_CHAINS[family] ?? []) {
      const { row } = await recogniseFamily(openChain(id, 'node/v1', {}), SCOPE, FAMILIES);
      assert.equal(row, undefined, family);
    }
  }
});

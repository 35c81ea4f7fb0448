/** The chain of the measured calls: shared contracts, contracts that are each called once, and a node that makes blocks with transfers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { concatBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { labelAddress } from '../../../scripts/chains/accounts.ts';
import { encodeCall } from '../../../scripts/chains/encode-call.ts';
import { type Anvil, startAnvil } from '../../../test/support/anvil.ts';
import { ROUTER_CODE } from '../../contracts/router.ts';
import { TOKEN_CODE } from '../../contracts/token.ts';
import {
  balanceSlot,
  CALL_CONTRACTS,
  createPair,
  encodeBalance,
  encodeEthCall,
  encodeQuote,
  OWNERS,
  TOKEN,
} from '../call-workloads.ts';
import { type Contract, renderBenchGenesis } from '../chain.ts';

const GAS_LIMIT = 30_000_000n;
const BLOCK_SECONDS = 2;
const TRANSFERS_PER_BLOCK = 20;
const TRANSFER_GAS = '0x186a0';
const ETHER = 10n ** 18n;
const PAIRS = 3;

/** Appends bytes that are never executed, so that each code is new to the program, as the output of other compilations is. */
function varyCode(code: Uint8Array, label: string): Uint8Array {
  return concatBytes(code, labelAddress(label));
}

/** A call whose contracts no other call uses. */
export type FirstCall = {
  readonly kind: 'token balance' | 'quote';
  readonly contracts: readonly Contract[];
  readonly body: string;
};

/** Lists calls of a token, and calls of a router that calls three pairs. */
export function listFirstCalls(count: number): readonly FirstCall[] {
  return Array.from({ length: count }, (_, i): readonly FirstCall[] => {
    const [token, router] = [labelAddress(`first token ${i}`), labelAddress(`first router ${i}`)];
    const owner = OWNERS[i % OWNERS.length] as Uint8Array;
    const pairs = Array.from({ length: PAIRS }, (_, pair) => {
      const contract = createPair(labelAddress(`first pair ${i} ${pair}`), pair);
      return { ...contract, code: varyCode(contract.code as Uint8Array, `pair ${i} ${pair}`) };
    });
    const storage = { [balanceSlot(owner)]: `0x${(i + 1).toString(16)}` };
    const quote = encodeQuote(
      ETHER,
      pairs.map(({ address }) => address),
    );
    return [
      {
        kind: 'token balance',
        contracts: [{ address: token, code: varyCode(TOKEN_CODE, `token ${i}`), storage }],
        body: encodeEthCall(token, encodeBalance(owner)),
      },
      {
        kind: 'quote',
        contracts: [{ address: router, code: varyCode(ROUTER_CODE, `router ${i}`) }, ...pairs],
        body: encodeEthCall(router, quote),
      },
    ];
  }).flat();
}

/** Starts a node with the contracts of the benches and of first calls. Each owner has ether and tokens. */
export async function startCallNode(folder: string, firstCalls: readonly FirstCall[]): Promise<Anvil> {
  const genesis = join(folder, 'genesis.json');
  const contracts = [...CALL_CONTRACTS, ...firstCalls.flatMap((call) => call.contracts)];
  writeFileSync(genesis, renderBenchGenesis(contracts, GAS_LIMIT));
  const anvil = await startAnvil({
    args: ['--init', genesis, '--hardfork', 'prague', '--block-time', String(BLOCK_SECONDS)],
  });
  await anvil.request('anvil_autoImpersonateAccount', true);
  const fund = (owner: Uint8Array, index: number): Promise<unknown> =>
    anvil.request('anvil_setBalance', bytesToHex(owner), `0x${(BigInt(index + 1) * ETHER).toString(16)}`);
  await Promise.all(OWNERS.map(fund));
  await anvil.request('anvil_mine', '0x8');
  return anvil;
}

/** Sends token transfers between owners in each block until `end` aborts. */
export async function keepTransferring(anvil: Anvil, end: AbortSignal): Promise<void> {
  for (let next = 0; !end.aborted; next += TRANSFERS_PER_BLOCK) {
    for (let i = next; i < next + TRANSFERS_PER_BLOCK; i++) {
      const [from, to] = [OWNERS[i % OWNERS.length], OWNERS[(i * 7 + 1) % OWNERS.length]] as [
        Uint8Array,
        Uint8Array,
      ];
      const data = bytesToHex(encodeCall('transfer(address,uint256)', to, 1n));
      const transaction = { from: bytesToHex(from), to: bytesToHex(TOKEN), data, gas: TRANSFER_GAS };
      await anvil.request('eth_sendTransaction', transaction);
    }
    await sleep(1_000 * BLOCK_SECONDS, undefined, { signal: end }).catch(() => {});
  }
}

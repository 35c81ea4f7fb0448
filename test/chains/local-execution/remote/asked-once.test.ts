/** A client's request is sent to nodes in parts, and no part is sent twice: a slow node delays it once. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import { ChainError } from '../../../../src/chain/errors.ts';
import type { CallRequest } from '../../../../src/chain/requests.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../../../support/anvil.ts';
import { FaultUpstream } from '../../../support/fault-upstream.ts';
import type { Answer, Fault } from '../../../support/faults/fault.ts';
import { type Kind, openRemote } from './remote-harness.ts';

const word = (value: bigint | number): string => `0x${value.toString(16).padStart(64, '0')}`;
const PROXY = `0x${'a'.repeat(40)}`;
const CHAIN = `0x${'b'.repeat(40)}`;
const PLAIN = `0x${'c'.repeat(40)}`;
const REVERTER = `0x${'d'.repeat(40)}`;
const NOBODY = `0x${'e'.repeat(40)}`;
const PROGRAMS: Readonly<Record<string, string>> = {
  [PROXY]: `CALLDATASIZE 0 0 CALLDATACOPY 0 0 CALLDATASIZE 0 0 SLOAD GAS DELEGATECALL POP
    RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 RETURN`,
  [CHAIN]: '0 CALLDATALOAD SLOAD SLOAD SLOAD SLOAD 0 MSTORE 32 0 RETURN',
  [PLAIN]: '1 0 MSTORE 32 0 RETURN',
  [REVERTER]: '0 CALLDATALOAD SLOAD 0 MSTORE 32 0 REVERT',
};
const NOT_THERE: Answer = { error: { code: -32601, message: 'the method does not exist/is not available' } };
const KINDS: readonly Kind[] = ['call', 'estimateGas', 'createAccessList'];
const HINTS: ReadonlySet<string> = new Set(['proof_call', 'eth_createAccessList']);

/** Methods that a node executes, or answers for this call alone. The pool may resend proofs and codes when a request with several of them fails. */
const COUNTED: ReadonlySet<string> = new Set([...HINTS, 'eth_call', 'eth_estimateGas', 'eth_config']);

/** Replies of nodes about what a call would access; undefined passes the node's own reply on. */
const HINTED: Readonly<Record<string, Fault['answer']>> = {
  'nodes have no proof_call': undefined,
  'nodes have neither method': () => Promise.resolve(NOT_THERE),
  'nodes fail': () => Promise.resolve({ error: { code: -32000, message: 'something went wrong' } }),
  'the list is empty': () => Promise.resolve({ result: { accessList: [], gasUsed: '0x5208' } }),
  'there is no list': () => Promise.resolve({ result: null }),
  'the list is none': () => Promise.resolve({ result: 'none' }),
  'nodes are silent': () => new Promise(() => {}),
};
/** An access list is waited for during a quarter of this time limit. */
const SHORT_MS = 4_000;

const CALLS: Readonly<Record<string, CallRequest['call']>> = {
  'a contract that reads slots': { to: PROXY, data: word(3) },
  'a contract that reads nothing': { to: PLAIN },
  'a revert': { to: REVERTER, data: word(1) },
  'an account without code': { to: NOBODY, value: '0x0' },
};

describe('requests of one call to nodes', { skip: ANVIL_SKIP }, () => {
  let anvil: Anvil;

  before(async () => {
    anvil = await startAnvil();
    for (const [address, source] of Object.entries(PROGRAMS))
      await anvil.request('anvil_setCode', address, bytesToHex(assemble(source)));
    for (const address of [PROXY, CHAIN, REVERTER])
      for (let slot = 1; slot <= 40; slot++)
        await anvil.request('anvil_setStorageAt', address, word(slot), word(slot + 5));
    await anvil.request('anvil_setStorageAt', PROXY, word(0), word(BigInt(CHAIN)));
    await anvil.request('anvil_mine', '0x2');
  });
  after(() => anvil.kill());

  /** Runs one call, and lists the requests to the node: the method, the parameter before the block (which is named by number or hash), and slots. */
  async function listAsked(
    answer: Fault['answer'],
    kind: Kind,
    call: CallRequest['call'],
    lacking?: string,
  ): Promise<readonly string[]> {
    const requested: string[] = [];
    const door = await FaultUpstream.start(anvil.httpUrl);
    const network = await openRemote(door.httpUrl);
    await door.setFault({
      concerns: ({ method, params }) => {
        const [first, second] = params;
        const slots = method === 'eth_getProof' ? JSON.stringify(second) : '';
        requested.push(`${method} ${JSON.stringify(first)} ${slots}`);
        return (answer !== undefined && HINTS.has(method)) || method === lacking;
      },
      answer: (one, ask) =>
        one.method === lacking || answer === undefined ? Promise.resolve(NOT_THERE) : answer(one, ask),
    });
    try {
      const scope = new RequestScope(performance.now() + SHORT_MS);
      const request: CallRequest = { call, block: { kind: 'tag', tag: 'latest' } };
      await Promise.resolve(network.chain.execution[kind](request, scope)).catch((error: unknown) => {
        if (!(error instanceof ChainError)) throw error;
      });
      return requested;
    } finally {
      await network.close();
      await door.close();
    }
  }

  function assertOnce(requested: readonly string[], what: string): void {
    const counted = requested.filter((one) => COUNTED.has(one.split(' ')[0] ?? ''));
    const twice = counted.filter((one, at) => counted.indexOf(one) !== at);
    assert.deepEqual(twice, [], `${what}: ${requested.join('; ')}`);
  }

  for (const [name, answer] of Object.entries(HINTED))
    test(`are sent once if ${name}`, async () => {
      const calls = Object.entries(CALLS);
      for (const [what, call] of name === 'nodes are silent' ? calls.slice(0, 1) : calls)
        for (const kind of KINDS) {
          const requested = await listAsked(answer, kind, call);
          assert.ok(
            requested.some((one) => one.startsWith('eth_getProof')),
            `${what}: not executed here`,
          );
          assertOnce(requested, `${kind} of ${what}`);
        }
    });

  test('are sent once if nodes have no proofs, and execute the call themselves', async () => {
    // The caller's access list is requested again: the earlier one was a hint, of which only proven parts were read.
    for (const kind of ['call', 'estimateGas'] as const) {
      const requested = await listAsked(
        undefined,
        kind,
        CALLS['a contract that reads slots'] as object,
        'eth_getProof',
      );
      assertOnce(requested, kind);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChainError } from '../../../../src/chain/errors.ts';
import { nameAnswer } from '../../../../src/chains/upstream/agreement/name-answer.ts';
import { OperatorVoices } from '../../../../src/chains/upstream/agreement/operator-voices.ts';
import { countVoices } from '../../../../src/chains/upstream/agreement/options.ts';
import { createSendToVoices } from '../../../../src/chains/upstream/agreement/send-to-voices.ts';
import { UpstreamFault } from '../../../../src/pool/fault.ts';
import type { Spend } from '../../../../src/pool/spend/spend.ts';
import type { Upstream } from '../../../../src/pool/upstream.ts';
import type { Send } from '../../../../src/pool/upstream-request.ts';
import { createSpend } from '../../../pool/support/create-spend.ts';
import { createScope } from '../../../pool/support/exchange.ts';
import { answer, createNode } from '../../../pool/support/scripted-node.ts';

type Says = string | Error;

/** Sends to operators with one answer each; every operator has two nodes. */
async function askOperators(needed: number, ...says: readonly Says[]) {
  const nodes = says.flatMap((_, i) => [{ operator: `o${i}` }, { operator: `o${i}` }]) as Upstream[];
  const requested: string[] = [];
  const ask: Send = async ({ call, except }) => {
    assert.deepEqual([call.key, call.sharedAs], [undefined, undefined]);
    const left = nodes.filter((node) => except?.has(node) !== true);
    const operators = [...new Set(left.map(({ operator }) => operator))];
    assert.equal(operators.length, 1);
    requested.push(operators[0] ?? '');
    const said = says[Number(operators[0]?.slice(1))];
    if (said instanceof Error) throw said;
    return said ?? '';
  };
  const scope = createScope();
  const call = {
    method: 'm',
    params: '[]',
    nulls: 'truth',
    sharedAs: 'x',
    key: { blockHash: '0x', request: 'q' },
  } as const;
  const voices = new OperatorVoices(nodes, needed);
  const outcome = await Promise.resolve(createSendToVoices(ask, voices)({ call, scope })).catch(
    (error: Error) => error,
  );
  return { outcome, requested, trust: scope.trust };
}

const away = (): UpstreamFault => new UpstreamFault('timeout', 'away');

describe('answers that no root covers', () => {
  test('are accepted when enough operators return the same, without further requests', async () => {
    const { outcome, requested, trust } = await askOperators(
      2,
      '{"a":"0xAB","b":1}',
      '{"b":1,"a":"0xab"}',
      '"0x2"',
    );
    assert.deepEqual([outcome, trust], ['{"a":"0xAB","b":1}', 'agreed']);
    assert.equal(requested.length, 2);
  });

  test('are requested from further operators if one fails or differs', async () => {
    const { outcome, requested } = await askOperators(2, away(), '"0x1"', '"0x2"', '"0x1"');
    assert.equal(outcome, '"0x1"');
    assert.equal(requested.length, 4);
  });

  test('are requested from the cheapest operators first, and from operators whose budget is used up last', async () => {
    const spent = createSpend({ default: 1 }, { credits: 1 });
    spent.charge(1);
    const spends = [createSpend({ default: 80 }), spent, createSpend({ default: 20 }), undefined];
    const create = (operator: string, spend?: Spend): Upstream =>
      createNode({ behaviour: answer('1'), operator, ...(spend && { spend }) }).upstream;
    const nodes = spends.map((spend, i) => create(`o${i}`, spend));
    const requested: (string | undefined)[] = [];
    const ask: Send = async ({ except }) => {
      requested.push(nodes.find((node) => except?.has(node) !== true)?.operator);
      return '"0x1"';
    };
    const requestOf = async (needed: number): Promise<unknown> => {
      requested.length = 0;
      const call = { method: 'm', params: '[]', nulls: 'truth' } as const;
      await createSendToVoices(ask, new OperatorVoices(nodes, needed))({ call, scope: createScope() });
      return [...requested];
    };
    assert.deepEqual(await requestOf(2), ['o3', 'o2']);
    assert.deepEqual(await requestOf(4), ['o3', 'o2', 'o0', 'o1']);
    // The cheap node of o0 is cordoned, o3 has only a node beyond a hard budget, and the node of o4 fails.
    const cordoned = create('o0');
    cordoned.apply({ kind: 'cordonChanged', cordon: 'cordoned' });
    const barred = createSpend({ default: 0 }, { credits: 1, hard: true });
    barred.charge(1);
    const failing = create('o4');
    for (let call = 0; call < 5; call++) failing.health.fail(1, {});
    nodes.splice(3, 1, create('o3', barred), failing, cordoned);
    assert.deepEqual(await requestOf(2), ['o2', 'o0']);
    assert.deepEqual(await requestOf(3), ['o2', 'o0', 'o1']);
  });

  test('are refused with the numbers if too few operators agree', async () => {
    const { outcome, trust } = await askOperators(3, '"0x1"', '"0x1"', '"0x2"', away());
    assert.ok(outcome instanceof ChainError && outcome.kind === 'unavailable');
    assert.match(outcome.message, /2 of 4 configured operators give it, agreement demands 3/);
    assert.equal(trust, undefined);
  });

  test('are an error of the call if enough operators return that error', async () => {
    const failed = (): ChainError => new ChainError('failed', 'out of gas');
    assert.deepEqual((await askOperators(2, failed(), failed())).outcome, failed());
    const { outcome } = await askOperators(
      2,
      new UpstreamFault('unsupported', 'no'),
      new UpstreamFault('unsupported', 'no'),
    );
    assert.ok(outcome instanceof UpstreamFault && outcome.kind === 'unsupported');
  });

  test('are an error of the call without the detail that not all operators return', async () => {
    const halted = (detail: string): ChainError => new ChainError('failed', detail);
    for (const [first, second, agreed] of [
      ['invalid opcode', 'invalid opcode: INVALID', 'invalid opcode'],
      ['invalid opcode: opcode 0xc not defined', 'invalid opcode', 'invalid opcode'],
      ['stack underflow (0 <=> 2)', 'stack underflow', 'stack underflow'],
      ['stack limit reached 1024 (1023)', 'stack limit reached 1024 (1022)', 'stack limit reached'],
      ['invalid opcode: INVALID', 'invalid opcode: INVALID', 'invalid opcode: INVALID'],
    ] as const) {
      const { outcome, requested } = await askOperators(2, halted(first), halted(second), away());
      assert.deepEqual([outcome, requested.length], [halted(agreed), 2]);
    }
    const { outcome } = await askOperators(2, halted('out of gas'), halted('invalid opcode'));
    assert.ok(outcome instanceof ChainError && outcome.kind === 'unavailable');
  });

  test('are compared by content, not by spelling', async () => {
    assert.equal(
      await nameAnswer('{"a":["0xAA"],"b":null}', {}),
      await nameAnswer('{"b":null,"a":["0xaa"]}', {}),
    );
    assert.notEqual(await nameAnswer('["0x1","0x2"]', {}), await nameAnswer('["0x2","0x1"]', {}));
    assert.notEqual(await nameAnswer('"Aa"', {}), await nameAnswer('"aa"', {}));
  });

  test('bridge requires all operators but one, and all of two or three', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 20].map((operators) => countVoices('bridge', operators)),
      [2, 2, 3, 3, 4, 19],
    );
    assert.equal(countVoices({ voices: 2 }, 5), 2);
  });
});

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { agreeOnChain, type ConfiguredChain, countGenesisClaims } from '../../src/pool/chain-claims.ts';
import { UpstreamFault } from '../../src/pool/fault.ts';
import { Membership } from '../../src/pool/membership.ts';
import { createRecordingLog, type RecordingLog } from '../gateway/recording-log.ts';
import { makeHash } from './support/scripted-chain.ts';
import {
  type Behaviour,
  createNode,
  fault,
  inTurn,
  type ScriptedNode,
  silent,
} from './support/scripted-node.ts';
import { setNode } from './support/set-node.ts';

const GENESIS = makeHash(1, 0, 0);
const OTHER_GENESIS = makeHash(1, 1, 0);
const OURS = { chainId: 1n, genesisHash: GENESIS };

type Claim = { readonly chainId?: unknown; readonly genesis?: unknown; readonly version?: Behaviour };

/** A node that reports its identity. */
function claim({ chainId = '0x1', genesis = { hash: GENESIS }, version }: Claim = {}): Behaviour {
  return (call, options) => {
    const values: Readonly<Record<string, unknown>> = {
      eth_chainId: chainId,
      eth_getBlockByNumber: genesis,
      web3_clientVersion: 'Geth/v1.16.1-stable/linux-amd64/go1.24',
    };
    if (call.method === 'web3_clientVersion' && version !== undefined) return version(call, options);
    return { kind: 'result', result: JSON.stringify(values[call.method]) };
  };
}

type Scene = {
  readonly fallen: () => readonly string[];
  readonly membership: Membership;
  readonly log: RecordingLog;
  readonly changes: () => number;
  readonly replaced: () => number;
};

function createScene(
  nodes: readonly ScriptedNode[],
  isDevelopment = false,
  hasHead = (): boolean => false,
  configured: ConfiguredChain = {},
): Scene {
  const fallen: string[] = [];
  const log = createRecordingLog();
  let changes = 0;
  let replaced = 0;
  const upstreams = nodes.map(({ upstream }) => upstream);
  for (const upstream of upstreams) setNode(upstream, { standing: 'unverified' });
  const onChange = (): void => {
    changes++;
  };
  return {
    membership: new Membership({
      upstreams,
      network: 'test',
      log,
      isDevelopment,
      configured,
      hasHead,
      onFallConfirmed: ({ name }) => fallen.push(name),
      onChange,
      onReplaced: () => {
        replaced++;
      },
    }),
    log,
    fallen: () => fallen,
    changes: () => changes,
    replaced: () => replaced,
  };
}

/** Runs everything that is ready; timers are mocked and do not fire. */
async function complete(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  await complete();
}

const standings = (nodes: readonly ScriptedNode[]): string[] =>
  nodes.map(({ upstream }) => upstream.standing);

describe('Membership', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('verifies nodes of the configured chain; quarantines nodes of another chain, with the reason', async () => {
    const nodes = [
      createNode({ behaviour: claim(), name: 'good' }),
      createNode({ behaviour: claim({ chainId: '0x5' }), name: 'other-chain' }),
      createNode({ behaviour: claim({ genesis: { hash: OTHER_GENESIS } }), name: 'other-genesis' }),
      createNode({ behaviour: claim({ genesis: null }), name: 'pruned' }),
      createNode({ behaviour: fault('unreachable'), name: 'down' }),
    ];
    const { membership, log, changes } = createScene(nodes);
    await membership.requestAll(() => false);
    membership.begin(OURS);
    assert.deepEqual(standings(nodes), ['verified', 'quarantined', 'quarantined', 'verified', 'unverified']);
    assert.equal(changes(), 4);
    const errors = log.lines.filter((line) => line.includes('"error"'));
    assert.equal(errors.length, 2);
    assert.ok(errors[0]?.includes('other-chain') && errors[1]?.includes('other-genesis'));
    assert.equal(nodes[0]?.upstream.knowsHashParameters, true);
    assert.match(nodes[0]?.upstream.identity?.clientVersion ?? '', /^Geth/);
    membership.close();
  });

  it('verifies a node without a version, but not one without a chain id', async () => {
    const nodes = [
      createNode(claim({ version: fault('unauthorized') })),
      createNode(claim({ version: () => ({ kind: 'result', result: '{"not":"a string"}' }) })),
      createNode(claim({ chainId: 'mainnet' })),
      createNode(claim({ chainId: ['0x1'] })),
      createNode(claim({ chainId: 1 })),
      createNode(claim({ chainId: '0x01' })),
    ];
    const { membership } = createScene(nodes);
    await membership.requestAll(() => false);
    membership.begin(OURS);
    assert.deepEqual(standings(nodes), [
      'verified',
      'verified',
      'unverified',
      'unverified',
      'verified',
      'verified',
    ]);
    assert.equal(nodes[0]?.upstream.identity?.clientVersion, 'unknown');
    assert.equal(nodes[0]?.upstream.knowsHashParameters, false);
    membership.close();
  });

  it('requestAll waits for all nodes, or until enough have answered', async () => {
    const nodes = [createNode(claim()), createNode(claim()), createNode(silent)];
    const { membership } = createScene(nodes);
    const known = (): number => nodes.filter(({ upstream }) => upstream.identity !== undefined).length;
    await membership.requestAll(() => known() > 1);
    assert.equal(known(), 2);
    membership.close();
  });

  it('verifies a node that answers after the start', async () => {
    const nodes = [createNode(claim()), createNode(silent)];
    const { membership } = createScene(nodes);
    let answer = (): void => {};
    const reserved = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const honest = claim();
    nodes[1]?.behave((call, options) => reserved.then(() => honest(call, options)));
    void membership.requestAll(() => false);
    await complete();
    membership.begin(OURS);
    assert.deepEqual(standings(nodes), ['verified', 'unverified']);
    answer();
    await complete();
    assert.deepEqual(standings(nodes), ['verified', 'verified']);
    membership.close();
  });

  it('repeats the identification of a node that did not answer, with growing delays, until it answers', async () => {
    const node = createNode(inTurn(...Array(9).fill(fault('unreachable')), claim()));
    const { membership } = createScene([node]);
    await membership.requestAll(() => false);
    membership.begin(OURS);
    assert.equal(node.requested.calls.length, 3);
    await pass(200);
    assert.equal(node.requested.calls.length, 6);
    await pass(100);
    assert.equal(node.requested.calls.length, 6);
    await pass(300);
    assert.equal(node.requested.calls.length, 9);
    assert.equal(node.upstream.standing, 'unverified');
    await pass(5_000);
    assert.equal(node.upstream.standing, 'verified');
    membership.close();
  });

  it('checks each node every 30 s: quarantines one that changes its chain, and verifies one that returns to it', async () => {
    const node = createNode(claim());
    const { membership } = createScene([node]);
    await membership.requestAll(() => false);
    membership.begin(OURS);
    node.behave(claim({ chainId: '0x5' }));
    await pass(29_999);
    assert.equal(node.upstream.standing, 'verified');
    await pass(1);
    assert.equal(node.upstream.standing, 'quarantined');
    node.behave(claim());
    await pass(30_000);
    assert.equal(node.upstream.standing, 'verified');
    membership.close();
  });

  it('leaves the standing unchanged if a check fails', async () => {
    const node = createNode(claim());
    const { membership } = createScene([node]);
    await membership.requestAll(() => false);
    membership.begin(OURS);
    node.behave(fault('timeout'));
    await pass(30_000);
    assert.equal(node.upstream.standing, 'verified');
    assert.equal(node.upstream.faults.get('timeout'), 1);
    membership.close();
  });

  it('makes a suspected node unverified until it has identified itself', async () => {
    const node = createNode(claim());
    const { membership } = createScene([node]);
    await membership.requestAll(() => false);
    membership.begin(OURS);
    node.behave(claim({ genesis: { hash: OTHER_GENESIS } }));
    membership.suspectReturned(node.upstream);
    assert.equal(node.upstream.standing, 'unverified');
    await complete();
    assert.equal(node.upstream.standing, 'quarantined');
    node.behave(claim());
    membership.suspectReturned(node.upstream);
    assert.equal(node.upstream.standing, 'quarantined');
    await complete();
    assert.equal(node.upstream.standing, 'verified');
    membership.close();
  });

  it('neither identifies nor verifies a node after close', async () => {
    const node = createNode(claim());
    const { membership } = createScene([node]);
    await membership.requestAll(() => false);
    membership.begin(OURS);
    membership.suspectReturned(node.upstream);
    membership.close();
    await complete();
    assert.equal(node.upstream.standing, 'unverified');
    const requested = node.requested.calls.length;
    await pass(120_000);
    assert.equal(node.requested.calls.length, requested);
  });

  it('repeats the identification of a node whose head fell, within a second and once for many falls', async () => {
    const node = createNode({ behaviour: claim(), name: 'lone' });
    const { membership, fallen } = createScene([node]);
    await membership.requestAll(() => false);
    membership.begin(OURS);
    node.behave(claim({ genesis: { hash: OTHER_GENESIS } }));
    const requested = node.requested.calls.length;
    for (let fall = 0; fall < 5; fall++) membership.noteFallenHead(node.upstream);
    await pass(1_000);
    assert.equal(node.requested.calls.length, requested + 3);
    assert.equal(node.upstream.standing, 'quarantined');
    const genesis = `genesis ${OTHER_GENESIS}, expected ${GENESIS}`;
    assert.equal(node.upstream.record.mismatch?.split(';')[0], genesis);
    node.behave(claim({ chainId: '0x5' }));
    await pass(5_000);
    assert.equal(node.upstream.record.mismatch?.split(';')[0], 'chain id 5, expected 1');
    node.behave(claim());
    await pass(5_000);
    assert.equal(node.upstream.record.mismatch, undefined);
    assert.deepEqual(fallen(), [], 'it was of another chain when it was asked after its fall');
    membership.noteFallenHead(node.upstream);
    await pass(1_000);
    assert.deepEqual(fallen(), ['lone']);
    membership.close();
  });

  describe('unknown genesis hash', () => {
    const OPEN = { chainId: 1n, genesisHash: undefined };
    const other = claim({ genesis: { hash: OTHER_GENESIS } });
    const reasons = ({ log }: Scene): string[] =>
      log.lines.flatMap((line) => (line.includes('do not agree') ? [JSON.parse(line).reason] : []));
    const SPLIT = `it has no majority for a genesis block: ${GENESIS}, ${OTHER_GENESIS}; set pool.genesisHash`;

    it('is disputed while the nodes are split, is logged once, and is decided by another node', async () => {
      const nodes = [createNode(claim()), createNode(other), createNode(fault('unreachable'))];
      const scene = createScene(nodes);
      await scene.membership.requestAll(() => false);
      scene.membership.begin(OPEN);
      assert.deepEqual(standings(nodes), ['disputed', 'disputed', 'unverified']);
      await pass(5_000);
      assert.deepEqual(reasons(scene), [SPLIT]);
      nodes[2]?.behave(other);
      await pass(5_000);
      await pass(5_000);
      assert.deepEqual(standings(nodes), ['quarantined', 'verified', 'verified']);
      assert.equal(scene.membership.genesisHash, OTHER_GENESIS);
      scene.membership.close();
    });

    it('is decided by a node that changes its answer', async () => {
      const nodes = [createNode(claim()), createNode(other)];
      const scene = createScene(nodes);
      await scene.membership.requestAll(() => false);
      scene.membership.begin(OPEN);
      assert.deepEqual(standings(nodes), ['disputed', 'disputed']);
      nodes[1]?.behave(claim());
      await pass(5_000);
      assert.deepEqual(standings(nodes), ['verified', 'verified']);
      scene.membership.close();
    });

    it('is taken from most answering nodes; a contradicting node does not take away an existing head', async () => {
      for (const hasHead of [false, true]) {
        const nodes = [createNode(claim()), createNode(fault('unreachable')), createNode(fault('timeout'))];
        const scene = createScene(nodes, false, () => hasHead);
        await scene.membership.requestAll(() => false);
        scene.membership.begin(OPEN);
        assert.deepEqual(standings(nodes), ['verified', 'unverified', 'unverified']);
        nodes[1]?.behave(other);
        await pass(5_000);
        assert.deepEqual(standings(nodes).slice(0, 2), [hasHead ? 'verified' : 'disputed', 'disputed']);
        const served = `it has genesis block ${OTHER_GENESIS}, the nodes in service have ${GENESIS}; set pool.genesisHash`;
        assert.deepEqual(reasons(scene), [hasHead ? served : SPLIT]);
        nodes[2]?.behave(other);
        await pass(5_000);
        await pass(5_000);
        assert.deepEqual(standings(nodes), ['quarantined', 'verified', 'verified'], 'the majority decides');
        scene.membership.close();
      }
    });
  });

  it('advises how to correct the only node of a network', async () => {
    const cases: readonly [ConfiguredChain, Behaviour, RegExp][] = [
      [
        {},
        claim({ genesis: { hash: OTHER_GENESIS } }),
        /; restart the service, or set pool\.development: true/,
      ],
      [
        OURS,
        claim({ genesis: { hash: OTHER_GENESIS } }),
        /; correct pool\.genesisHash, or set pool\.develop/,
      ],
      [{}, claim({ chainId: '0x5' }), /^chain id 5, expected 1; restart the service$/],
      [OURS, claim({ chainId: '0x5' }), /^chain id 5, expected 1; correct its URL or pool\.chainId$/],
    ];
    for (const [configured, behaviour, advice] of cases) {
      const node = createNode(behaviour);
      const { membership } = createScene([node], false, () => true, configured);
      await membership.requestAll(() => false);
      membership.begin(OURS);
      assert.match(node.upstream.record.mismatch ?? '', advice);
      membership.close();
    }
  });

  it('follows a development node to another genesis block, but not to another chain id', async () => {
    const node = createNode(claim());
    const { membership, replaced, log } = createScene([node], true);
    await membership.requestAll(() => false);
    membership.begin(OURS);
    node.behave(claim({ genesis: { hash: OTHER_GENESIS } }));
    await pass(30_000);
    assert.deepEqual([node.upstream.standing, replaced()], ['verified', 1]);
    assert.equal(membership.genesisHash, OTHER_GENESIS);
    assert.ok(log.lines.some((line) => line.includes('the chain was replaced')));
    await pass(30_000);
    assert.equal(replaced(), 1);
    node.behave(claim({ chainId: '0x5' }));
    await pass(30_000);
    assert.deepEqual([node.upstream.standing, replaced()], ['quarantined', 1]);
    membership.close();
  });

  it('learns the genesis block of a development node later without a replacement of the chain', async () => {
    const node = createNode(fault('unreachable'));
    const { membership, replaced } = createScene([node], true);
    await membership.requestAll(() => false);
    membership.begin({ chainId: 1n, genesisHash: undefined });
    assert.equal(node.upstream.record.identityFault?.kind, 'unreachable');
    node.behave(claim());
    await pass(200);
    assert.deepEqual([node.upstream.standing, replaced(), membership.genesisHash], ['verified', 0, GENESIS]);
    membership.close();
  });

  it('logs neither URLs nor words of a node that may contain them', async () => {
    const behaviour: Behaviour = () => {
      throw new UpstreamFault('unreachable', 'connection refused');
    };
    const node = createNode({ behaviour, secrets: ['https://secret.example.org'] });
    const { membership, log } = createScene([node]);
    await membership.requestAll(() => false);
    assert.ok(log.lines.every((line) => !line.includes('secret')));
    membership.close();
  });
});

describe('agreeOnChain', () => {
  async function agree(claims: readonly Claim[], configured: Parameters<typeof agreeOnChain>[1] = {}) {
    const nodes = claims.map((each) => createNode(claim(each)));
    const { membership } = createScene(nodes);
    await membership.requestAll(() => false);
    return agreeOnChain(
      nodes.map(({ upstream }) => upstream),
      configured,
    );
  }

  it('returns the identity that most nodes report, and on a tie that of the first', async () => {
    const other: Claim = { chainId: '0x5', genesis: { hash: OTHER_GENESIS } };
    const theirs = { chainId: 5n, genesisHash: OTHER_GENESIS };
    assert.deepEqual(identityOf(await agree([{}, other, other])), theirs);
    assert.deepEqual(identityOf(await agree([{}, other])), OURS);
    assert.deepEqual(identityOf(await agree([other, {}])), theirs);
    assert.equal((await agree([{}, other, {}]))?.votes, 2);
  });

  it('returns the configured identity, whatever the nodes report', async () => {
    const other: Claim = { chainId: '0x5', genesis: { hash: OTHER_GENESIS } };
    assert.deepEqual(identityOf(await agree([other, other, {}], { chainId: 1n })), OURS);
    assert.deepEqual(identityOf(await agree([other], { chainId: 1n, genesisHash: GENESIS })), OURS);
    assert.deepEqual(identityOf(await agree([{}], { genesisHash: OTHER_GENESIS })), {
      chainId: 1n,
      genesisHash: OTHER_GENESIS,
    });
  });

  it('returns nothing if no node reports an identity', async () => {
    assert.equal(await agree([{ chainId: 'none' }]), undefined);
    assert.equal(agreeOnChain([], {}), undefined);
  });
});

/** The chain id and genesis hash of a vote, without other reported fields. */
function identityOf(vote: ReturnType<typeof agreeOnChain>): unknown {
  return vote && { chainId: vote.identity.chainId, genesisHash: vote.identity.genesisHash };
}

describe('countGenesisClaims', () => {
  it('counts an operator once, however many nodes it has', () => {
    const node = (operator: string, genesisHash: string) => ({
      operator,
      identity: { chainId: 1n, genesisHash, clientVersion: 'unknown', knowsHashParameters: true },
    });
    const honest = node('honest', GENESIS);
    const liars = [1, 2, 3].map(() => node('liar', OTHER_GENESIS));
    const { hashes, majority } = countGenesisClaims([...liars, honest], 1n);
    assert.deepEqual(hashes, [OTHER_GENESIS, GENESIS]);
    assert.equal(majority, undefined);
    assert.equal(countGenesisClaims([...liars, honest, node('other', GENESIS)], 1n).majority, GENESIS);
  });
});

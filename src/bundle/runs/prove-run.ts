import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { isMembers } from '../../../packages/proofs/members.ts';
import { ChainError } from '../../chain/errors.ts';
import type { CallRequest } from '../../chain/requests.ts';
import { MissingState, type StateNeed } from '../../chains/embedded/state/missing-state.ts';
import { evidenceOf, listPieces, Pieces } from '../evidence.ts';
import { type Bundle, BundleError, type RollupSettings, type Rules } from '../format.ts';
import { encodeBlockHeader, readObject, readResult, requestBlock, type Source } from '../request-block.ts';
import { describeNeed } from './check-run.ts';
import { EvidenceBlock } from './evidence-block.ts';
import { createEvidenceChain, type Executed } from './evidence-chain.ts';
import { createReader } from './read-sources.ts';
import { FetchedReadings } from './readings.ts';
import { runMethod } from './run-method.ts';

/** Maximum number of executions of a method. The method is executed again for each missing part of the state that no access list contained. */
const MAX_RUNS = 2_000;

/** Request at a block, the header and rules of the block, and the rollup settings. */
export type Run = Pick<Bundle, 'method' | 'params' | 'block'> & {
  /** RLP of the block's header. */
  readonly header: Uint8Array;
  readonly rules: Rules;
  readonly rollup: RollupSettings | null;
};

/** Bundle, and notes about differences from the source's gas estimates. */
export type VerifiedRun = { readonly bundle: Bundle; readonly notes: readonly string[] };

/**
 * Executes a method on evidence, and requests missing parts until the method completes.
 * @throws BundleError if the source's proofs do not match the state root of the block, or if the source's nodes report other results of the executed
 * calls
 */
export async function proveRun(run: Run, source: Source): Promise<VerifiedRun> {
  const { method, params, block: place, header: encoded, rules, rollup } = run;
  const block = new EvidenceBlock(encoded, rules, new Pieces(), new Pieces());
  const collector = new Collector(block, source);
  const readings = new FetchedReadings(listSources(source), createReader(source));
  for (let runs = 1; ; runs++) {
    block.forgetUse();
    readings.forgetUse();
    const executed: Executed[] = [];
    const chain = createEvidenceChain(block, readings, executed);
    try {
      const answer = await runMethod(run, chain, rollup, readings);
      const notes = await compareExecuted(executed, block, source);
      const told = { rules, rollup, readings: await readings.list(), members: [] };
      return {
        bundle: { method, params, block: place, answer, evidence: listEvidence(block, encoded), told },
        notes,
      };
    } catch (error) {
      if (!(error instanceof MissingState) || runs === MAX_RUNS) throw error;
      await Promise.all(executed.map((execution) => collector.collectHinted(execution)));
      await collector.collect(error);
    }
  }
}

function listSources({ opNode, l1 }: Source): ('chain' | 'l1' | 'opNode')[] {
  return [
    'chain',
    ...(l1 === undefined ? [] : ['l1' as const]),
    ...(opNode === undefined ? [] : ['opNode' as const]),
  ];
}

function listEvidence(block: EvidenceBlock, encoded: Uint8Array): Bundle['evidence'] {
  return evidenceOf(encoded, {
    ancestors: block.usedAncestors.map(bytesToHex),
    nodes: listPieces(block.nodes.used),
    codes: listPieces(block.codes.used),
  });
}

/** Requests parts of the state of one block from a source. */
class Collector {
  readonly #block: EvidenceBlock;
  readonly #source: Source;
  readonly #asked = new Set<string>();

  constructor(block: EvidenceBlock, source: Source) {
    this.#block = block;
    this.#source = source;
  }

  /** Requests a missing part. @throws BundleError if the part was already requested */
  async collect(missing: MissingState): Promise<void> {
    const text = describeNeed(missing);
    if (this.#asked.has(text))
      throw new BundleError(`the network does not prove its state: its answers lack ${text}`);
    this.#asked.add(text);
    await this.#ask(missing.need);
  }

  /**
   * If an execution lacked state, requests an access list of the call from the source, once per call. Proofs of all state in the access list are
   * requested at once, and save further executions. If the access list is unavailable or incomplete, `collect` requests the missing parts one by one.
   */
  async collectHinted({ request, outcome }: Executed): Promise<void> {
    const { chain, scope } = this.#source;
    const text = JSON.stringify(request.call);
    if (!(outcome instanceof MissingState) || this.#asked.has(text)) return;
    this.#asked.add(text);
    try {
      const answer = await chain.execution.createAccessList({ ...request, block: this.#reference }, scope);
      const { accessList } = await readObject(answer, 'access list');
      if (!Array.isArray(accessList)) return;
      await Promise.all(
        accessList.map(({ address, storageKeys }) =>
          this.#addProof(String(address), storageKeys as string[]),
        ),
      );
    } catch (error) {
      if (!(error instanceof ChainError || error instanceof BundleError)) throw error;
    }
  }

  get #reference(): { kind: 'hash'; hash: string; requireCanonical: false } {
    return { kind: 'hash', hash: this.#block.stored.hashText, requireCanonical: false };
  }

  async #ask(need: StateNeed): Promise<void> {
    switch (need.kind) {
      case 'account':
        return this.#addProof(need.address, []);
      case 'slot':
        return this.#addProof(need.address, [need.slot]);
      case 'code':
        return this.#addCode(need.hash);
      case 'blockHash':
        return this.#addHeaders(need.number);
    }
  }

  async #addProof(address: string, slots: readonly string[]): Promise<void> {
    const { chain, scope } = this.#source;
    const answer = await chain.state.getProof(address, slots, this.#reference, scope);
    const { accountProof, storageProof } = await readObject(answer, `proof of account ${address}`);
    this.#addNodes(accountProof);
    if (!Array.isArray(storageProof)) return;
    for (const slot of storageProof) if (isMembers(slot)) this.#addNodes(slot['proof']);
  }

  #addNodes(nodes: unknown): void {
    if (!Array.isArray(nodes)) return;
    for (const node of nodes) this.#block.nodes.add(hexToBytes(String(node)));
  }

  async #addCode(hash: string): Promise<void> {
    const { chain, scope } = this.#source;
    const address = this.#block.ownerOf.get(hash);
    if (address === undefined) throw new Error('the needed code belongs to no account');
    const code = await readResult(await chain.state.getCode(address, this.#reference, scope));
    this.#block.codes.add(hexToBytes(String(code)));
  }

  /** Adds headers of ancestors, down to the child of block `number`, which contains the hash of that block. */
  async #addHeaders(number: bigint): Promise<void> {
    for (let above = this.#block.oldest; above > number + 1n; above--) {
      const object = await requestBlock(this.#source, bytesToHex(this.#block.oldestHash), false);
      this.#block.addAncestor(encodeBlockHeader(object));
    }
  }
}

/**
 * Compares the results of executions with the results that the source's nodes report for the same calls.
 * @returns differences between gas estimates, which are allowed, because clients search for an estimate in different ways
 * @throws BundleError if calls have different results
 */
async function compareExecuted(
  executed: readonly Executed[],
  { stored }: EvidenceBlock,
  source: Source,
): Promise<string[]> {
  const block = { kind: 'hash', hash: stored.hashText, requireCanonical: false } as const;
  const notes: string[] = [];
  for (const { kind, request, outcome } of executed) {
    if (outcome instanceof MissingState) continue;
    const theirs = await requestOutcome(kind, { ...request, block }, source);
    if (isSameOutcome(outcome, theirs)) continue;
    const [answer, ours] = cutAlike(describe(theirs), describe(outcome));
    const difference = `the network answers ${answer}, but its state gives ${ours}`;
    if (kind === 'call' || typeof outcome !== typeof theirs) throw new BundleError(difference);
    notes.push(`gas estimates differ: ${difference}`);
  }
  return notes;
}

async function requestOutcome(
  kind: Executed['kind'],
  request: CallRequest,
  { chain, scope }: Source,
): Promise<string | ChainError> {
  const { execution } = chain;
  try {
    const result = await (kind === 'call'
      ? execution.call(request, scope)
      : execution.estimateGas(request, scope));
    return JSON.stringify(await readResult(result)).toLowerCase();
  } catch (error) {
    if (error instanceof ChainError) return error;
    throw error;
  }
}

function isSameOutcome(ours: string | ChainError, theirs: string | ChainError): boolean {
  if (typeof ours === 'string' || typeof theirs === 'string') return ours === theirs;
  return ours.kind === theirs.kind && textOf(ours.data) === textOf(theirs.data);
}

function textOf(data: ChainError['data']): string {
  return data instanceof Uint8Array ? bytesToHex(data) : (data ?? '');
}

function describe(outcome: string | ChainError): string {
  return typeof outcome === 'string' ? outcome : `${outcome.message} ${textOf(outcome.data)}`.trimEnd();
}

/**
 * An error message about two different results quotes at most `SHOWN` characters of each, with at most `AGREED` characters before the first
 * difference.
 */
const SHOWN = 200;
const AGREED = 20;

/** Shortens two different texts to the part around their first difference. */
function cutAlike(...texts: readonly [string, string]): string[] {
  const [one, other] = texts;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const from = Math.max(one.length, other.length) <= SHOWN ? 0 : Math.max(0, same - AGREED);
  return texts.map((text) => {
    const end = from + SHOWN;
    return `${from > 0 ? '...' : ''}${text.slice(from, end)}${text.length > end ? '...' : ''}`;
  });
}

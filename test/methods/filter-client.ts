/** Clients of filters: they call the methods with a key on a network. */
import assert from 'node:assert/strict';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { NetworkFeed } from '../../src/feed/feed.ts';
import { FilterCriteriaCache } from '../../src/methods/filters/filter-criteria.ts';
import { Filters } from '../../src/methods/filters/filters.ts';
import { RETRY_PAUSES } from '../../src/methods/filters/retry-table.ts';
import type { Network } from '../../src/methods/network.ts';
import { findMethod } from '../../src/methods/table.ts';
import type { RecordTable } from '../../src/shared-store/records/record-table.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork } from '../gateway/scripted-network.ts';
import { createFakeChain, type FakeChainParts } from '../support/fake-chain.ts';

export type FilterClientOptions = {
  readonly feed: NetworkFeed;
  readonly records: RecordTable;
  readonly chain?: FakeChainParts;
  readonly network?: string;
  readonly hasNodes?: boolean;
  readonly maxOfKey?: number;
  readonly lifeMs?: number;
  readonly retryPauses?: readonly number[];
  readonly criteria?: FilterCriteriaCache;
  readonly answerWaitMs?: number;
};

export type Send = (method: string, ...params: readonly unknown[]) => Promise<unknown>;

/** A process that serves the network to keys. */
export class FilterProcess {
  readonly network: Network;

  constructor({
    feed,
    records,
    chain = {},
    network = 'net',
    hasNodes = true,
    maxOfKey = 10,
    lifeMs = 60_000,
    retryPauses = RETRY_PAUSES,
    criteria = new FilterCriteriaCache(),
    answerWaitMs = 60_000,
  }: FilterClientOptions) {
    this.network = createScriptedNetwork(createFakeChain(chain), {
      name: network,
      feed,
      hasNodes,
      filters: new Filters({ network, records, maxOfKey, lifeMs, retryPauses, criteria, answerWaitMs }),
    });
  }

  connect(
    key = 'key',
    makeScope: () => RequestScope = () => new RequestScope(performance.now() + 60_000),
  ): Send {
    return async (name, ...params) => {
      const scope = makeScope();
      scope.owner = key;
      const method = findMethod(name, this.network);
      if (method === undefined) throw new Error(`no ${name}`);
      const answered = Promise.resolve(
        method.invoke(params, { network: this.network, clientVersion: 'v', scope }),
      ).then(readResult);
      // Reports the send like a transport.
      answered.then(
        () => scope.noteSent(true),
        () => scope.noteSent(false),
      );
      const value: unknown = JSON.parse(await answered);
      // Only part of a long answer is checked: 28,000 logs take seconds.
      const part = Array.isArray(value) ? value.slice(0, 100) : value;
      assert.deepEqual(method.result.schema.safeParse(part).error?.issues, undefined);
      return value;
    };
  }
}

async function readResult(result: JsonResult): Promise<string> {
  if (typeof result === 'string') return result;
  const pieces: Uint8Array[] = [];
  for await (const piece of result.pieces) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

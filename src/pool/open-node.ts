import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { UNSUPPORTED } from '../chain/errors.ts';
import { AnswerMemory } from '../util/answer-memory.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { SharedBudget } from '../util/shared-budget.ts';
import { toChainError } from './chain-errors.ts';
import { createEndpoint, nameUpstream } from './endpoint.ts';
import { readError } from './errors/read-error.ts';
import { listCredentials, listSecrets } from './errors/secrets.ts';
import { UpstreamFault } from './fault.ts';
import { holdText } from './hold-text.ts';
import { createNodeMemory } from './node-memory.ts';
import type { UpstreamOptions } from './options.ts';
import { createTransport } from './transport/create-transport.ts';
import type { TransportLimits } from './transport/transport.ts';

const MiB = 1024 * 1024;
const LIMITS: Omit<TransportLimits, 'connections' | 'inFlight' | 'batch' | 'memory'> = {
  connectTimeout: 2_000,
  answerTimeout: 10_000,
  stallTimeout: 10_000,
  answerBytes: MiB,
  streamBytes: MiB,
  pingInterval: 15_000,
};

/** A server with methods of its own and without a chain, for example an op-node. */
export interface RemoteNode {
  /** @throws ChainError if the server is unavailable or refuses the request */
  request(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): Promise<JsonText | typeof UNSUPPORTED>;
  close(): Promise<void>;
}

/** Opens a server. @param nodeMemory budget for its responses */
export function openNode(row: UpstreamOptions, nodeMemory: SharedBudget = createNodeMemory()): RemoteNode {
  const { connections, inFlight, batch } = row;
  const endpoint = createEndpoint(row.url, row);
  const memory = (): AnswerMemory => new AnswerMemory(nodeMemory, nameUpstream(row, 0));
  const transport = createTransport(endpoint, { ...LIMITS, connections, inFlight, batch, memory });
  const secrets = listSecrets(endpoint.url, endpoint.headers);
  const credentials = listCredentials(endpoint.url, endpoint.headers);

  async function ask(method: string, params: readonly unknown[], scope: RequestScope): Promise<JsonText> {
    const call = { method, params: JSON.stringify(params) };
    const reply = await transport.send(call, { deadline: scope.deadline, signal: scope.signal });
    if (reply.kind === 'error') throw readError(reply.error, method, secrets, credentials);
    return holdText(reply.result, { scope, memory });
  }

  return {
    async request(method, params, scope) {
      try {
        return await ask(method, params, scope);
      } catch (error) {
        if (error instanceof UpstreamFault && error.kind === 'unsupported') return UNSUPPORTED;
        throw toChainError(error);
      }
    },
    close: () => transport.close(),
  };
}

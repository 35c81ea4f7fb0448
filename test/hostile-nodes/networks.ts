/** The network of each case: its nodes, and the hostile one. */
import { FACTS } from '../support/development.ts';
import type { HostileCase } from './cases.ts';
import type { Nodes } from './nodes/nodes.ts';
import { findHostileQuestion } from './questions.ts';

const POOL = {
  chainId: Number(FACTS.devnet.chainId),
  connectTimeout: '1s',
  answerTimeout: '2s',
  stallTimeout: '2s',
  pollInterval: '200ms',
  blockTime: '1s',
} as const;
const CALL_TIMEOUT = '3s';
/** Name of the attacked node in the status. */
export const HOSTILE = 'hostile';

/** Configuration of a case. */
export type CaseConfig = {
  readonly network: object;
  /** Token issuer whose key set is hostile. */
  readonly issuer?: { readonly jwks: string };
};

/** @param url URL of the hostile server */
export function configureCase(row: HostileCase, name: string, url: string, nodes: Nodes): CaseConfig {
  const { place } = findHostileQuestion(row.request);
  const network = {
    hosts: [`${name}.localhost`],
    upstreams: listUpstreams(row, url, nodes),
    pool: POOL,
    callTimeout: CALL_TIMEOUT,
    methods: { also: ['debug_traceTransaction'] },
    ...(place === 'relay' && { send: { private: { url } } }),
    ...(place === 'op-node' && {
      rollup: { family: 'op-stack', prefix: 'optimism', mode: 'verifier', opNode: url },
    }),
    ...(place === 'layer 1' && { rollup: { family: 'linea', prefix: 'linea', mode: 'sequencer', l1: url } }),
  };
  return { network, ...(place === 'key set' && { issuer: { jwks: `${url}/jwks.json` } }) };
}

function listUpstreams({ request, topology, transport }: HostileCase, url: string, nodes: Nodes): object[] {
  const hostile = { url, name: HOSTILE };
  const { ask, place, isAskedOfOne } = findHostileQuestion(request);
  const isLate = ask === undefined && place === undefined;
  const pair = nodes.honest[isLate ? 'late' : 'always'];
  const [first, second] = transport === 'HTTP' ? pair.http : pair.webSocket;
  if (place !== undefined && place !== 'doctor') {
    // The network's nodes are honest.
    const lone = [{ url: first, name: 'honest-1' }];
    return topology === 'one of one' ? lone : [...lone, { url: second, name: 'honest-2' }];
  }
  if (topology === 'one of one') return [hostile];
  // Requests to a single node go to the hostile one first.
  const tier = isAskedOfOne === true ? 2 : 1;
  return [hostile, { url: first, name: 'honest-1', tier }, { url: second, name: 'honest-2', tier }];
}

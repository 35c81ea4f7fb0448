import {
  countConfiguredOperators,
  countVoices,
  MIN_BRIDGE_OPERATORS,
} from '../chains/upstream/agreement/options.ts';
import type { Problem } from './check-config.ts';
import type { NetworkOptions } from './network-options.ts';

/**
 * Checks that a network with `agreement` has verified nodes, and at least as many operators as must agree. `bridge` also requires `verify: require`
 * and `pool.chainId`.
 */
export function checkAgreement(name: string, network: NetworkOptions): Problem[] {
  const { agreement, upstreams, verify, pool } = network;
  if (agreement === undefined) return [];
  const at = ['networks', name];
  const path = [...at, 'agreement'];
  const dependsOn = ['upstreams', 'verify'].map((key) => [...at, key]);
  const explain = (message: string, key = path): Problem => ({ path: key, message, dependsOn });
  if (upstreams === undefined || verify === 'off')
    return [explain('only a network with upstreams and verify: auto or require has agreement')];
  const problems: Problem[] = [];
  const operators = countConfiguredOperators(upstreams);
  if (agreement === 'bridge') {
    if (pool.chainId === undefined) {
      const message = 'agreement: bridge needs pool.chainId: the chain id is not taken from nodes';
      problems.push({ path, message, dependsOn: [...dependsOn, [...at, 'pool']] });
    }
    if (verify !== 'require') {
      const message =
        'agreement: bridge refuses unverified answers: expected require, or agreement with a number of voices';
      problems.push(explain(message, [...at, 'verify']));
    }
    if (operators < MIN_BRIDGE_OPERATORS) {
      const message = `agreement: bridge needs nodes of at least ${MIN_BRIDGE_OPERATORS} operators, and there is ${operators}: upstreams[].operator names the operator of a node`;
      problems.push(explain(message));
    }
    return problems;
  }
  const voices = countVoices(agreement, operators);
  if (voices > operators) {
    const message = `expected at most ${operators}, the number of operators: nodes of one operator are one voice, and upstreams[].operator names the operator of a node`;
    problems.push(explain(message, [...path, 'voices']));
  }
  return problems;
}

/** Process of the hostile nodes: their streamed data is prepared, so that they use little processor time. */
import { FaultUpstream } from '../../support/fault-upstream.ts';
import type { AskNode } from '../../support/faults/fault.ts';
import { CONTENTS } from '../../support/hostile/contents.ts';
import { deliver } from '../../support/hostile/deliveries.ts';
import type { PourEnd } from '../../support/hostile/pour.ts';
import { rememberNode, type Truth } from '../../verified/truth.ts';
import { findDelivery, type HostileCase } from '../cases.ts';
import { findHostileQuestion } from '../questions.ts';
import { askOpNode } from './op-node.ts';
import type { FromHostile, ToHostile } from './plan.ts';

class HostileNode {
  readonly ends: PourEnd[] = [];
  hits = 0;
  readonly #upstream: FaultUpstream;
  readonly #case: HostileCase;

  private constructor(upstream: FaultUpstream, row: HostileCase) {
    this.#upstream = upstream;
    this.#case = row;
  }

  static async open(row: HostileCase, ask: AskNode): Promise<HostileNode> {
    const { ask: asks, place } = findHostileQuestion(row.request);
    const truth = place === 'op-node' ? askOpNode(ask) : ask;
    const node = new HostileNode(await FaultUpstream.start(truth), row);
    // A network that cannot reach its nodes sends all its requests once it can.
    if (asks === undefined && place === undefined)
      await node.#upstream.setFault({ delivery: { kind: 'refuse' } });
    return node;
  }

  get url(): string {
    return this.#case.transport === 'HTTP' ? this.#upstream.httpUrl : this.#upstream.webSocketUrl;
  }

  async arm(): Promise<void> {
    const request = findHostileQuestion(this.#case.request);
    const delivery = findDelivery(this.#case.delivery);
    const content = CONTENTS.find(({ name }) => name === this.#case.content);
    if (content === undefined) throw new Error(`there is no content "${this.#case.content}"`);
    await this.#upstream.setFault({
      concerns: (call) => request.concerns(call),
      delivery: {
        kind: 'own',
        pour: (answer) => {
          this.hits++;
          deliver(delivery, answer, content, this.#case.bytes).then(
            (end) => this.ends.push(end),
            () => this.ends.push('closed'),
          );
        },
      },
    });
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }
}

let nodes: readonly HostileNode[] = [];
let truth: Truth | undefined;

async function answer(message: ToHostile): Promise<FromHostile> {
  switch (message.say) {
    case 'open': {
      await Promise.all(nodes.map((node) => node.close()));
      const { cases, source } = message;
      // Shared by all nodes: a known answer is immediate.
      truth ??= rememberNode('source', source, async () => {});
      const { ask } = truth;
      nodes = await Promise.all(cases.map((row) => HostileNode.open(row, ask)));
      return { urls: nodes.map(({ url }) => url) };
    }
    case 'arm':
      await Promise.all(message.cases.map((index) => nodes[index]?.arm()));
      return 'armed';
    case 'report':
      return { reports: nodes.map(({ hits, ends }) => ({ hits, ends })) };
  }
}

process.on('message', (message: ToHostile) => {
  void answer(message).then((reply) => process.send?.(reply));
});
process.on('disconnect', () => process.exit());
process.send?.('there' satisfies FromHostile);

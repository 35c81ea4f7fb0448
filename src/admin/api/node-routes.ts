import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { durationBetween } from '../../util/duration-schema.ts';
import { AdminRefusal } from '../refusal.ts';
import { type ApiRoute, defineRoute } from './api-route.ts';
import type { ApiSources, CordonAnswer, NodeName, NodeView } from './api-sources.ts';

const DRAIN_CHECK_MS = 50;
/** Number of consecutive checks that must find nothing in flight. */
const QUIET_CHECKS = 2;

const nameShape = {
  network: z.string().regex(/^[\w-]{1,64}$/, 'expected the name of a network'),
  node: z.string().min(1).max(300).describe('name of the node, as `GET /admin/v1/nodes` lists it'),
};
const force = z
  .boolean()
  .default(false)
  .describe('cordon the node even if no other node can answer in its place; calls that need it then fail');

const nodeSchema = z.strictObject({
  ...nameShape,
  state: z.enum(['up', 'lagging', 'down', 'excluded']),
  reason: z.string().exactOptional(),
  head: z.int().describe('number of the latest block that the node has reported').exactOptional(),
  isCordoned: z.boolean(),
  inFlight: z.int().describe('requests that the node has not answered completely, over all processes'),
});

/** A node after a change, which stands even if the node cannot be read then. */
const changedSchema = nodeSchema
  .partial({ state: true, inFlight: true })
  .describe('`state` and `inFlight` are absent if a process did not answer after the change');
type ChangedNode = NodeName & Pick<NodeView, 'isCordoned'> & Partial<NodeView>;

const REFUSALS = {
  404: 'no node of the service has this name',
  409: 'no other node can answer in the place of the node: use `force` to cordon it anyway',
};

const nameNode = ({ network, node }: NodeName): string => `node ${network}/${node}`;

/** Names a node for the audit log, if it exists. `done` names the node in any case. */
async function nameTarget({ sources, body }: { sources: ApiSources; body: NodeName }): Promise<string> {
  return (await findNode(sources, body)) === undefined ? 'node (unknown)' : nameNode(body);
}

/** @throws AdminRefusal unless the change is done */
function requireDone(answer: CordonAnswer): void {
  if (answer.outcome === 'unknown') throw new AdminRefusal(404, answer.reason);
  if (answer.outcome === 'conflict')
    throw new AdminRefusal(409, `${answer.reason}: use "force": true to cordon the node anyway`);
}

/** Returns a node; undefined if there is none, or if a process does not answer. */
async function findNode(sources: ApiSources, { network, node }: NodeName): Promise<NodeView | undefined> {
  try {
    return (await sources.listNodes()).find((one) => one.network === network && one.node === node);
  } catch (error) {
    if (error instanceof AdminRefusal) return undefined;
    throw error;
  }
}

/** Describes a node after its cordon has changed. The change is made even if the node cannot be read. */
async function viewChanged(sources: ApiSources, name: NodeName, isCordoned: boolean): Promise<ChangedNode> {
  return (await findNode(sources, name)) ?? nameChanged(name, isCordoned);
}

function nameChanged({ network, node }: NodeName, isCordoned: boolean): ChangedNode {
  return { network, node, isCordoned };
}

/**
 * Waits until nothing is in flight at a node.
 * @param left aborted when the client has disconnected
 * @returns the node, and whether nothing is in flight
 */
async function waitForDrain(
  sources: ApiSources,
  name: NodeName,
  limitMs: number,
  left: AbortSignal,
): Promise<{ readonly node: ChangedNode; readonly isDrained: boolean }> {
  const until = performance.now() + limitMs;
  let quiet = 0;
  let node = nameChanged(name, true);
  for (;;) {
    const found = await findNode(sources, name);
    // A check that fails does not tell that nothing is in flight.
    quiet = found?.inFlight === 0 ? quiet + 1 : 0;
    node = found ?? node;
    const isDrained = quiet >= QUIET_CHECKS;
    if (isDrained || left.aborted || performance.now() >= until) return { node, isDrained };
    await wait(DRAIN_CHECK_MS);
  }
}

/** Routes for the nodes of networks. */
export const NODE_ROUTES: readonly ApiRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/nodes',
    operation: 'listNodes',
    summary: 'List the nodes of all networks with their states',
    answer: { status: 200, says: 'the nodes', schema: z.strictObject({ nodes: z.array(nodeSchema) }) },
    run: async ({ sources }) => ({ value: { nodes: await sources.listNodes() } }),
  }),
  defineRoute({
    method: 'POST',
    path: '/nodes/cordon',
    operation: 'cordonNode',
    summary: 'Take a node out of service: it gets no new calls, and its calls in flight end normally',
    body: z.strictObject({ ...nameShape, force }),
    answer: { status: 200, says: 'the node is cordoned in every process', schema: changedSchema },
    refusals: REFUSALS,
    target: nameTarget,
    async run({ sources, body }) {
      requireDone(await sources.cordon(body, body.force));
      return { value: await viewChanged(sources, body, true), target: nameNode(body) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/nodes/drain',
    operation: 'drainNode',
    summary: 'Cordon a node, and answer when nothing is in flight at it',
    body: z.strictObject({
      ...nameShape,
      force,
      timeout: durationBetween('0s', '10m').prefault('30s'),
    }),
    answer: {
      status: 200,
      says: 'the node is cordoned; `isDrained` is false if the timeout passed first',
      schema: z.strictObject({ node: changedSchema, isDrained: z.boolean() }),
    },
    refusals: REFUSALS,
    target: nameTarget,
    async run({ sources, body, left }) {
      requireDone(await sources.cordon(body, body.force));
      const value = await waitForDrain(sources, body, body.timeout, left);
      return { value, target: nameNode(body) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/nodes/uncordon',
    operation: 'uncordonNode',
    summary: 'Put a cordoned node back into service',
    body: z.strictObject(nameShape),
    answer: { status: 200, says: 'the node is in service in every process', schema: changedSchema },
    refusals: { 404: REFUSALS[404] },
    target: nameTarget,
    async run({ sources, body }) {
      requireDone(await sources.uncordon(body));
      return { value: await viewChanged(sources, body, false), target: nameNode(body) };
    },
  }),
];

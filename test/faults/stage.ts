/** Parts that all cells of the matrix share: real nodes on the scene's chain, and on two others. */
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { buildScene, FULL_BLOCK, type Scene, startSceneNode } from '../support/scene.ts';
import { type AnsweredQuestion, askScene } from '../support/scene-questions.ts';
import type { OtherNodes } from './catalogue.ts';

const OTHER_CHAIN_ID = 777;

export type Stage = {
  /** The node behind every faulty upstream. */
  readonly faulty: Anvil;
  readonly good: readonly [Anvil, Anvil];
  readonly others: OtherNodes;
  /** A restarted development node: it has the scene's chain id, and only a different block 0. */
  readonly restarted: Anvil;
  readonly requests: readonly AnsweredQuestion[];
  /** The same requests with the fork's answers. */
  readonly onFork: readonly AnsweredQuestion[];
  close(): Promise<void>;
};

export async function openStage(): Promise<Stage> {
  const scenes: Scene[] = [];
  const nodes: Anvil[] = [];
  const close = async (): Promise<void> => {
    for (const node of nodes) await node.kill();
    for (const scene of scenes) scene.remove();
  };
  const build = async (...variant: Parameters<typeof buildScene>): Promise<Scene> => {
    const scene = await buildScene(...variant);
    scenes.push(scene);
    return scene;
  };
  const start = async (scene: Scene): Promise<Anvil> => {
    const node = await startSceneNode(scene);
    nodes.push(node);
    return node;
  };
  try {
    const scene = await build();
    const otherChain = await start(await build({ chainId: OTHER_CHAIN_ID }));
    const fork = await start(await build({ forksAt: FULL_BLOCK }));
    const faulty = await start(scene);
    const restarted = await startAnvil({ args: ['--timestamp', '1700000001', '--hardfork', 'prague'] });
    nodes.push(restarted);
    const good = [await start(scene), await start(scene)] as const;
    return {
      faulty,
      good,
      restarted,
      others: { otherChain: otherChain.httpUrl, fork: fork.httpUrl },
      requests: await askScene(scene, good[0]),
      onFork: await askScene(scene, fork),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

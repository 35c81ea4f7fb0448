/** How much a worker has to do. */
export type WorkerLoad = {
  /** Part of the last moments in which its event loop worked, 0 to 1. */
  readonly utilization: number;
  /** Open HTTP connections, without those that have become WebSockets. */
  readonly connections: number;
};

/** A worker with less to do than this answers as fast as one with nothing. */
const BUSY = 0.7;
/** Utilizations that differ by less differ by chance. */
const GAP = 0.3;
/** And so do numbers of connections that are less than so many times the mean. */
const FAR_MORE = 1.5;

/**
 * How many connections each worker should part with, so that those get more that have less to do; or, where all are busy,
 * that have fewer.
 */
export function findSurplus(loads: readonly WorkerLoad[]): readonly number[] {
  const utilizations = loads.map(({ utilization }) => utilization);
  const least = Math.min(...utilizations);
  const meanUtilization = findMean(utilizations);
  const meanConnections = findMean(loads.map(({ connections }) => connections));
  return loads.map(({ utilization, connections }) => {
    // One connection would only be sent from one to another.
    if (utilization < BUSY || connections < 2) return 0;
    if (utilization - least >= GAP)
      return Math.round(connections * ((utilization - meanUtilization) / utilization));
    return connections >= FAR_MORE * meanConnections ? Math.floor(connections - meanConnections) : 0;
  });
}

function findMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

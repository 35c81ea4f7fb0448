/** Load of a worker. */
export type WorkerLoad = {
  /** Share of the measured time in which the event loop was active, 0 to 1. */
  readonly utilization: number;
  /** Open HTTP connections, without connections that became WebSockets. */
  readonly connections: number;
};

/** Utilization below which a worker responds as fast as an idle one. */
const BUSY = 0.7;
/** Differences of utilization below this value count as random. */
const GAP = 0.3;
/** A number of connections below this multiple of the mean counts as a random deviation. */
const FAR_MORE = 1.5;

/**
 * Returns the number of connections that each worker should close. Clients of closed connections reconnect to less utilized workers, or, if all
 * workers are busy, to workers with fewer connections.
 */
export function findSurplus(loads: readonly WorkerLoad[]): readonly number[] {
  const utilizations = loads.map(({ utilization }) => utilization);
  const least = Math.min(...utilizations);
  const meanUtilization = findMean(utilizations);
  const meanConnections = findMean(loads.map(({ connections }) => connections));
  return loads.map(({ utilization, connections }) => {
    // A worker's only connection is not closed, because closing it would only move the load to another worker.
    if (utilization < BUSY || connections < 2) return 0;
    if (utilization - least >= GAP)
      return Math.round(connections * ((utilization - meanUtilization) / utilization));
    return connections >= FAR_MORE * meanConnections ? Math.floor(connections - meanConnections) : 0;
  });
}

function findMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

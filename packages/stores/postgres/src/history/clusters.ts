/** Owns adding failures to clusters, as every process does, and reading the clusters. */
import type { ClusterRecord } from '@holdfast/core/history';
import { mergeClusters } from '@holdfast/core/internal';
import type { Session } from '../database/session.ts';

export async function addToClusters(session: Session, schema: string, added: readonly ClusterRecord[]): Promise<void> {
  const news = new Map<string, ClusterRecord>();
  for (const cluster of added) {
    const known = news.get(cluster.signature);
    news.set(cluster.signature, known ? mergeClusters(known, cluster) : cluster);
  }
  if (news.size === 0) return;
  // One order for all writers, so that there are no deadlocks. Existing rows are locked; missing ones are inserted first.
  const signatures = [...news.keys()].toSorted();
  await session.query(
    `INSERT INTO ${schema}.history_clusters (signature, last_seen) SELECT signature, 0 FROM unnest($1::text[]) AS t (signature) ON CONFLICT DO NOTHING`,
    [signatures],
  );
  const { rows } = await session.query(
    `SELECT signature, body FROM ${schema}.history_clusters WHERE signature = ANY ($1::text[]) ORDER BY signature FOR UPDATE`,
    [signatures],
  );
  const sums = rows.flatMap((row) => {
    const cluster = news.get(String(row['signature']));
    if (!cluster) return [];
    return row['body'] === null ? [cluster] : [mergeClusters(row['body'] as ClusterRecord, cluster)];
  });
  await session.query(
    `UPDATE ${schema}.history_clusters AS c SET last_seen = t.last_seen, body = t.body::json
     FROM unnest($1::text[], $2::bigint[], $3::text[]) AS t (signature, last_seen, body) WHERE c.signature = t.signature`,
    [sums.map(({ signature }) => signature), sums.map(({ last_seen: at }) => at), sums.map((each) => JSON.stringify(each))],
  );
}

/** Least recently seen first. */
export async function readClusters(session: Session, schema: string, limit: number): Promise<readonly ClusterRecord[]> {
  const { rows } = await session.query(
    `SELECT body FROM ${schema}.history_clusters WHERE body IS NOT NULL ORDER BY last_seen DESC, signature LIMIT $1`,
    [limit],
  );
  return rows.map((row) => row['body'] as ClusterRecord).toReversed();
}

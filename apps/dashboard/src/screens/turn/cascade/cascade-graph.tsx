/** How failures spread: a list of root causes, a graph of the calls, and a table. */
import type { ReactNode } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { pluralize, joinWords } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Disclosure } from '../../../ui/parts.tsx';
import { Empty } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { Table } from '../../../ui/table.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { CallLink } from '../call-link.tsx';
import { callIndicator } from '../labels.ts';
import type { Cascade, CascadeEdge, CascadeNode, RootCause } from './cascade.model.ts';
import style from './cascade.module.css';
import type { Layout, Place } from './layout.ts';

export interface CascadeGraphProps {
  readonly cascade: Cascade;
  readonly selected: string | undefined;
  readonly onCall: (callId: string) => void;
}

const box = { width: 212, height: 44, across: 276, down: 60, edge: 10 } as const;

export function CascadeGraph({ cascade, selected, onCall }: CascadeGraphProps): ReactNode {
  const { nodes, edges, roots, layout } = cascade;
  if (nodes.length === 0) return <Empty title="No calls yet." />;
  return (
    <div className={style['cascade']}>
      <Roots roots={roots} onCall={onCall} />
      {edges.length === 0 && <p className="muted">No call depends on another, so failures cannot spread.</p>}
      {edges.length > 0 && layout && (
        <>
          <Graph nodes={nodes} edges={edges} layout={layout} selected={selected} onCall={onCall} />
          <EdgeLegend />
        </>
      )}
      {edges.length > 0 && !layout && (
        <p className="muted">{pluralize(nodes.length, 'call')} are too many for a graph. See the table below.</p>
      )}
      <Disclosure summary="Show as table" open={edges.length > 0 && layout === undefined}>
        <Calls nodes={nodes} edges={edges} onCall={onCall} />
      </Disclosure>
    </div>
  );
}

function Roots({ roots, onCall }: { readonly roots: readonly RootCause[]; readonly onCall: (callId: string) => void }): ReactNode {
  if (roots.length === 0) return <p>No failed calls.</p>;
  return (
    <ul className={style['roots']}>
      {roots.slice(0, 20).map(({ callId, code, error, skipped, defaulted }) => (
        <li key={callId} className={style['root']}>
          <div className={style['rootHead']}>
            <Icon name="failed" size={14} />
            <CallLink callId={callId} onCall={onCall} />
            <code>{code}</code>
          </div>
          <div>
            <p>{error}</p>
            <p className="muted">{describeImpact(skipped, defaulted)}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function describeImpact(skipped: readonly string[], defaulted: readonly string[]): string {
  if (skipped.length + defaulted.length === 0) return 'No other calls were affected.';
  const parts = [
    skipped.length === 0 ? '' : `${pluralize(skipped.length, 'call')} skipped because of it: ${listNames(skipped)}`,
    defaulted.length === 0 ? '' : `${pluralize(defaulted.length, 'call')} used a default: ${listNames(defaulted)}`,
  ];
  return `${parts.filter(Boolean).join('; ')}.`;
}

const listNames = (names: readonly string[]): string =>
  names.length > 8 ? `${names.slice(0, 7).join(', ')} and ${names.length - 7} more` : joinWords(names);

const edgeSigns = [
  ['met', 'dependency met'],
  ['broken', 'skipped'],
  ['default', 'default used'],
  ['open', 'not met'],
] as const;

function EdgeLegend(): ReactNode {
  return (
    <div className={style['legend']}>
      {edgeSigns.map(([kind, words]) => (
        <span key={kind}>
          <svg width="28" height="10" aria-hidden="true">
            <line x1="1" x2="27" y1="5" y2="5" className={classNames(style['edge'], style[kind])} />
          </svg>
          {words}
        </span>
      ))}
      <span>◆ critical</span>
    </div>
  );
}

interface GraphProps {
  readonly nodes: readonly CascadeNode[];
  readonly edges: readonly CascadeEdge[];
  readonly layout: Layout;
  readonly selected: string | undefined;
  readonly onCall: (callId: string) => void;
}

const leftOf = ({ layer }: Place): number => box.edge + layer * box.across;
const top = ({ row }: Place): number => box.edge + row * box.down;

function Graph({ nodes, edges, layout, selected, onCall }: GraphProps): ReactNode {
  const width = layout.layers * box.across - (box.across - box.width) + 2 * box.edge;
  const height = layout.rows * box.down - (box.down - box.height) + 2 * box.edge;
  const chain = chainOf(nodes, selected);
  return (
    <div
      className={style['scroll']}
      role="group"
      aria-label="Graph of the calls, from left to right. The table below has the same data."
      tabIndex={0}
    >
      <div className={style['graph']} style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          <defs>
            <marker id="cascade-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
              <path d="M0 0.5L7 4L0 7.5z" className={style['arrow']} />
            </marker>
          </defs>
          {edges.map((edge, index) => (
            <path
              key={`${edge.from}\n${edge.to}`}
              d={edgePath(layout.routes[index] ?? [])}
              markerEnd="url(#cascade-arrow)"
              className={classNames(style['edge'], style[edge.kind], chain.has(edge.from) && chain.has(edge.to) && style['strong'])}
            />
          ))}
        </svg>
        {nodes.map((node) => (
          <Node key={node.callId} node={node} place={layout.places.get(node.callId)} selected={node.callId === selected} onCall={onCall} />
        ))}
      </div>
    </div>
  );
}

/** The selected call, its causes, and the calls it caused to be skipped. */
function chainOf(nodes: readonly CascadeNode[], selected: string | undefined): ReadonlySet<string> {
  if (selected === undefined) return new Set();
  const own = nodes.find(({ callId }) => callId === selected)?.causedBy ?? [];
  const reached = nodes.filter(({ causedBy }) => causedBy.includes(selected)).map(({ callId }) => callId);
  return new Set([selected, ...own, ...reached]);
}

/** A smooth path through the gaps between layers. */
function edgePath(route: readonly Place[]): string {
  const [first, ...rest] = route;
  if (first === undefined) return '';
  let x = leftOf(first) + box.width;
  let y = top(first) + box.height / 2;
  const parts = [`M${x} ${y}`];
  rest.forEach((place, index) => {
    const last = index === rest.length - 1;
    const toX = leftOf(place) - (last ? 2 : 0);
    const toY = top(place) + box.height / 2;
    const bend = (toX - x) / 2;
    parts.push(`C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}`);
    if (!last) parts.push(`h${box.width}`);
    x = toX + (last ? 0 : box.width);
    y = toY;
  });
  return parts.join('');
}

interface NodeProps {
  readonly node: CascadeNode;
  readonly place: Place | undefined;
  readonly selected: boolean;
  readonly onCall: (callId: string) => void;
}

function Node({ node, place, selected, onCall }: NodeProps): ReactNode {
  if (place === undefined) return null;
  const indicator = callIndicator(node.status);
  const note =
    node.causedBy.length > 0
      ? `because of ${node.causedBy.at(-1) ?? ''}`
      : node.skippedCount > 0
        ? `${pluralize(node.skippedCount, 'call')} skipped`
        : node.defaults.length > 0
          ? `default for ${node.defaults.join(', ')}`
          : indicator.label;
  return (
    <button
      type="button"
      className={classNames(style['node'], style[indicator.tone], selected && style['selected'])}
      style={{ left: leftOf(place), top: top(place), width: box.width, height: box.height }}
      aria-pressed={selected}
      title={visibleText(`${node.callId} (${node.toolName}): ${indicator.label}`)}
      onClick={() => onCall(node.callId)}
    >
      <span className={style['nodeSign']}>
        <Icon name={indicator.icon} size={14} label={indicator.label} />
      </span>
      <span className={style['nodeName']}>
        {visibleText(node.callId)}
        {node.critical && <span title="critical"> ◆</span>}
      </span>
      <span className={style['nodeNote']}>
        {node.optional ? 'optional · ' : ''}
        {note}
      </span>
    </button>
  );
}

interface CallsProps {
  readonly nodes: readonly CascadeNode[];
  readonly edges: readonly CascadeEdge[];
  readonly onCall: (callId: string) => void;
}

function Calls({ nodes, edges, onCall }: CallsProps): ReactNode {
  const shown = nodes.slice(0, 500);
  return (
    <>
      <Table
        caption="Calls, their dependencies, and the causes of skipped calls"
        rows={shown}
        keyOf={({ callId }) => callId}
        columns={[
          {
            id: 'call',
            title: 'Call',
            cell: ({ callId }) => <CallLink callId={callId} onCall={onCall} />,
          },
          { id: 'status', title: 'Status', narrow: true, cell: ({ status }) => <Status indicator={callIndicator(status)} /> },
          {
            id: 'needs',
            title: 'Depends on',
            cell: ({ callId }) =>
              edges
                .filter(({ to }) => to === callId)
                .map(({ from }) => from)
                .join(', ') || '–',
          },
          { id: 'cause', title: 'Caused by', cell: ({ causedBy }) => causedBy.join(' ← ') || '–' },
          { id: 'skippedCount', title: 'Skipped calls', align: 'end', cell: ({ skippedCount }) => skippedCount },
        ]}
      />
      {nodes.length > shown.length && <p className="muted">The first 500 of {pluralize(nodes.length, 'call')}.</p>}
    </>
  );
}

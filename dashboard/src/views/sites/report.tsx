import { __, _n } from '@wordpress/i18n'
import type { SiteReport } from '../../api/client.ts'
import { withNumber } from '../../components/format.ts'
import { Badge, type State, StateBadge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'

type Level = SiteReport['findings'][number]['level']

const levels: Record<Level, State & { rank: number }> = {
  problem: { tone: 'bad', label: () => __('Problem', 'galley'), rank: 0 },
  warning: { tone: 'warning', label: () => __('Warning', 'galley'), rank: 1 },
  ok: { tone: 'good', label: () => __('Fine', 'galley'), rank: 2 },
}

/** The last check, on the page of its site. */
export const Report = ({ report }: { report: SiteReport }) => (
  <section className="g-card g-section">
    <h2>{__('What the last check found', 'galley')}</h2>
    <Findings report={report} />
  </section>
)

/** The findings of a check, the worst first, and what got worse. What is fine is folded. */
export function Findings({ report: { checked_at, findings } }: { report: SiteReport }) {
  const fine = findings.filter(({ level }) => level === 'ok')
  const others = findings
    .filter(({ level }) => level !== 'ok')
    .sort((a, b) => Number(b.changed) - Number(a.changed) || levels[a.level].rank - levels[b.level].rank)
  const worse = findings.filter(({ changed }) => changed).length
  return (
    <>
      <p className="g-weak">
        <Time at={checked_at} />
        {worse > 0 &&
          ` · ${withNumber(
            // translators: %d: how many findings of a check
            _n('%d got worse since the check before', '%d got worse since the check before', worse, 'galley'),
            worse,
          )}`}
      </p>
      {others.length > 0 && <List findings={others} />}
      {fine.length > 0 && (
        <details>
          <summary>
            {withNumber(
              // translators: %d: how many checks found nothing wrong
              _n('%d check passed', '%d checks passed', fine.length, 'galley'),
              fine.length,
            )}
          </summary>
          <List findings={fine} />
        </details>
      )}
    </>
  )
}

const List = ({ findings }: Pick<SiteReport, 'findings'>) => (
  <ul className="g-findings">
    {findings.map(({ check, level, seen, means, todo, changed }) => (
      <li key={check}>
        <p>
          <StateBadge of={levels[level]} />{' '}
          {changed && <Badge tone="info">{__('Got worse', 'galley')}</Badge>} <strong>{seen}</strong>
        </p>
        <p>{means}</p>
        {todo && <p className="g-weak">{todo}</p>}
      </li>
    ))}
  </ul>
)

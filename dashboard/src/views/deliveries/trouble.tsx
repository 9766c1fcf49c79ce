import { __ } from '@wordpress/i18n'
import type { DetailedDelivery } from '../../api/client.ts'
import { type Action, ActionButton } from '../../components/actions.tsx'
import { WaitsForSite, waitsForSite } from '../../components/status.tsx'

type Status = DetailedDelivery['status']

interface TroubleProps {
  delivery: DetailedDelivery
  /** What lets it go on, the most helpful first. */
  actions: readonly Action[]
}

/** Why a delivery does not go on: what happened, on which site, and what to do next. */
export function Trouble({ delivery, actions }: TroubleProps) {
  const { status, error, todo, stands } = delivery
  const stopped = stands.waits_for === 'resume'
  const waits = waitsForSite(stands)
  if (!error && !waits) return null
  return (
    <section className={`g-card g-section g-told ${status === 'failed' ? 'bad' : 'warning'}`}>
      <h2>{headingFor(status, waits)}</h2>
      {waits && (
        <p>
          <WaitsForSite delivery={delivery} />
        </p>
      )}
      {error && <p>{withoutTodo(error.message, todo)}</p>}
      {(todo || stopped) && <h3>{__('What to do', 'galley')}</h3>}
      {todo && <p>{todo}</p>}
      {stopped && <p>{__('Resume the site, and this delivery goes on.', 'galley')}</p>}
      {actions.length > 0 && (
        <div className="g-actions">
          {actions.map((action, at) => (
            <ActionButton key={action.label} action={action} primary={at === 0} />
          ))}
        </div>
      )}
    </section>
  )
}

function headingFor(status: Status, waits: boolean): string {
  if (waits) return __('It waits for its site', 'galley')
  return status === 'held' ? __('Waiting for you', 'galley') : __('What went wrong', 'galley')
}

/** The message without its last sentence, which is shown separately. */
const withoutTodo = (message: string, todo: string | null): string =>
  todo !== null && message.endsWith(` ${todo}`) ? message.slice(0, -todo.length - 1) : message

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { call, type DetailedDelivery } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { describeError } from '../../components/states.tsx'
import { WaitsForSite, waitsForSite } from '../../components/status.tsx'
import { TryAgain } from './try-again.tsx'

type Status = DetailedDelivery['status']

/** Whether it only goes on when somebody retries it. */
export const isAtRest = (status: Status): boolean =>
  ['held', 'failed', 'cancelled', 'kept', 'delivered', 'withdrawn'].includes(status)

/** A retry in place of a withdrawal. */
export const sendAgain = () => __('Send again', 'galley')

interface TroubleProps {
  delivery: DetailedDelivery
  /** The decision is made elsewhere on the page. */
  decided: boolean
}

/** Why a delivery does not go on: what happened, on which site, and what to do next. */
export function Trouble({ delivery, decided }: TroubleProps) {
  const { status, error, todo, stands, site_id, site, withdraw_to } = delivery
  const stopped = stands.waits_for === 'resume'
  const waits = waitsForSite(stands)
  if (!error && !waits) return null
  return (
    <section className={`g-card g-section g-told ${status === 'failed' ? 'bad' : 'warning'}`}>
      <h2>{headingFor(status, waits)}</h2>
      <p className="g-weak">
        {__('Site:', 'galley')}{' '}
        <Link to="/sites/$id" params={{ id: site_id } as never}>
          {site?.name ?? site_id}
        </Link>
        {error && ` · ${error.code}`}
      </p>
      {waits && (
        <p>
          <WaitsForSite delivery={delivery} />
        </p>
      )}
      {error && <p>{withoutTodo(error.message, todo)}</p>}
      {(todo || stopped) && <h3>{__('What to do', 'galley')}</h3>}
      {todo && <p>{todo}</p>}
      {stopped && <p>{__('Resume the site, and this delivery goes on.', 'galley')}</p>}
      <div className="g-actions">
        <AtTheSite delivery={delivery} />
        {!decided && error && isAtRest(status) && (
          <Again id={delivery.id} code={error.code} withdrawn={withdraw_to !== null} />
        )}
      </div>
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

function Again({ id, code, withdrawn }: { id: string; code: string; withdrawn: boolean }) {
  if (!useMay('deliveries.act')) return null
  if (withdrawn) return <TryAgain id={id} label={sendAgain()} />
  if (code !== 'content_lost') return <TryAgain id={id} />
  return (
    <>
      <TryAgain id={id} onLoss="publish" label={__('Deliver anyway', 'galley')} />
      <TryAgain id={id} onLoss="draft" label={__('Deliver as a draft', 'galley')} />
    </>
  )
}

/** Error codes that a setting of the site resolves. */
const OF_SETTINGS = ['setting_refused', 'cannot_publish']

/** The action on the site, if any. */
function AtTheSite({
  delivery: { error, reconnect, stands, site_id, site },
}: {
  delivery: DetailedDelivery
}) {
  const params = { id: site_id } as never
  if (!useMay('sites.change')) return null
  if (stands.waits_for === 'resume') return <Resume siteId={site_id} />
  if (stands.waits_for === 'connection')
    return (
      <Link className="g-button primary" to="/welcome" search={{ connect: 'new', id: site_id } as never}>
        {__('Connect the site', 'galley')}
      </Link>
    )
  if (site === null) return null
  if (reconnect)
    return (
      <Link
        className="g-button primary"
        to="/sites/$id"
        params={params}
        search={{ connect: 'again' } as never}
      >
        {__('Connect again', 'galley')}
      </Link>
    )
  if (OF_SETTINGS.includes(error?.code ?? ''))
    return (
      <Link
        className="g-button primary"
        to="/sites/$id"
        params={params}
        search={{ change: 'settings' } as never}
      >
        {__('Change the settings', 'galley')}
      </Link>
    )
  return null
}

/** Makes the site accept deliveries again. */
function Resume({ siteId }: { siteId: string }) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const resume = useMutation({
    mutationFn: () => call('resumeSite', { path: { uuid: siteId } }),
    onError: (error) => notice({ text: describeError(error).text, tone: 'bad' }),
    onSettled: () =>
      Promise.all(['deliveries', 'sites'].map((kind) => queryClient.invalidateQueries({ queryKey: [kind] }))),
  })
  return (
    <button
      type="button"
      className="g-button primary"
      disabled={resume.isPending}
      onClick={() => resume.mutate()}
    >
      {__('Resume', 'galley')}
    </button>
  )
}

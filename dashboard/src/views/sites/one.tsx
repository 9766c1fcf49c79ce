import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { call, type Site } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { Head } from '../../components/head.tsx'
import { wordsFor } from '../../components/states/failure.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { SiteStatus } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { siteQuery } from '../../data/sites.ts'
import { Latest } from './latest.tsx'
import { Reconnect } from './reconnect.tsx'
import { Remove } from './remove.tsx'
import { Report } from './report.tsx'
import { Settings } from './settings/settings.tsx'

/** One site: whether it works, what was found, and what can be done. */
export default function OneSite() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useQuery(siteQuery(id))
  return <QueryResult query={query}>{(site) => <Shown site={site} />}</QueryResult>
}

function Shown({ site }: { site: Site }) {
  const { connect } = useSearch({ strict: false }) as Record<string, string>
  const navigate = useNavigate()
  const reconnecting = useMay('sites.change') && connect === 'again'
  // In the address, so that others can lead there.
  const setReconnecting = (open: boolean) =>
    void navigate({ to: '.', search: { connect: open ? 'again' : undefined } as never, replace: true })
  const mayRead = useMay('deliveries.read')
  return (
    <>
      <Head title={site.name} actions={<Actions site={site} onReconnect={() => setReconnecting(true)} />}>
        <SiteStatus status={site.status} />{' '}
        <a href={site.url} target="_blank" rel="noreferrer" dir="ltr">
          {site.url}
        </a>
      </Head>
      {reconnecting && <Reconnect site={site} onDone={() => setReconnecting(false)} />}
      {site.stopped && (
        <section className="g-card g-section g-told warning">
          <h2>{__('Paused by you', 'galley')}</h2>
          <p>
            {site.stopped.reason ?? __('Nothing is sent to the site. Documents that arrive wait.', 'galley')}{' '}
            <span className="g-weak">
              <Time at={site.stopped.at} />
            </span>
          </p>
        </section>
      )}
      {site.trouble && (
        <section className="g-card g-section g-told bad">
          <h2>{__('The site is in trouble', 'galley')}</h2>
          <p>{site.trouble.message}</p>
          {site.paused_until && (
            <p className="g-weak">
              {__('Galley checks again:', 'galley')} <Time at={site.paused_until} />
            </p>
          )}
        </section>
      )}
      {site.report && <Report report={site.report} />}
      {mayRead && <Latest siteId={site.id} />}
      <Settings site={site} />
      <Remove site={site} />
    </>
  )
}

interface ActionsProps {
  site: Site
  onReconnect(): void
}

function Actions({ site: { id, status }, onReconnect }: ActionsProps) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const act = useMutation({
    mutationFn: async (action: 'pauseSite' | 'resumeSite' | 'checkSite') => {
      const at = { path: { uuid: id } }
      if (action === 'pauseSite') await call('pauseSite', { ...at, body: {} })
      else await call(action, at)
      return action
    },
    onSuccess: (action) => {
      if (action === 'pauseSite')
        notice({
          text: __('Nothing is sent to the site any more. Documents that arrive wait.', 'galley'),
          action: { label: __('Undo', 'galley'), run: () => act.mutate('resumeSite') },
        })
      if (action === 'checkSite') notice({ text: __('The site has been checked.', 'galley') })
    },
    onError: (error) => notice({ text: wordsFor(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['sites'] }),
  })
  if (!useMay('sites.change')) return null
  const button = (action: Parameters<typeof act.mutate>[0], label: string) => (
    <button type="button" className="g-button" disabled={act.isPending} onClick={() => act.mutate(action)}>
      {label}
    </button>
  )
  return (
    <>
      {button(
        'checkSite',
        act.isPending && act.variables === 'checkSite' ? __('Checking…', 'galley') : __('Check', 'galley'),
      )}
      {status === 'stopped'
        ? button('resumeSite', __('Resume', 'galley'))
        : button('pauseSite', __('Pause', 'galley'))}
      <button type="button" className="g-button" onClick={onReconnect}>
        {__('Connect again', 'galley')}
      </button>
    </>
  )
}

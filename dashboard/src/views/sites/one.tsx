import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { call, type Site } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { ActionButton } from '../../components/actions.tsx'
import { Below } from '../../components/below.tsx'
import { Head } from '../../components/head.tsx'
import { QueryResult } from '../../components/states.tsx'
import { DeliveryStatus, goesOnByItself, SiteState, WaitsForSite } from '../../components/status.tsx'
import { clock, NextTry, Time } from '../../components/time.tsx'
import { siteQuery } from '../../data/sites.ts'
import { needsSomebody, useSiteActions } from './actions.ts'
import { Reconnect } from './reconnect.tsx'
import { Report } from './report.tsx'
import { Settings } from './settings.tsx'
import '../../components/rows.css'
import { useState } from 'react'
import { useChange } from '../../app/use-change.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Checkbox } from '../../components/form.tsx'
import { Row, RowList } from '../../components/rows.tsx'
import { deliveriesQuery } from '../../data/deliveries.ts'

/** One site: its state, findings, settings and actions. */
export default function OneSite() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useQuery(siteQuery(id))
  return <QueryResult query={query}>{(site) => <Shown key={site.id} site={site} />}</QueryResult>
}

function Shown({ site }: { site: Site }) {
  const { connect } = useSearch({ strict: false }) as Record<string, string>
  const navigate = useNavigate()
  const reconnecting = useMay('sites.change') && connect === 'again'
  // In the address, so that others can link there.
  const setReconnecting = (open: boolean) =>
    void navigate({ to: '.', search: { connect: open ? 'again' : undefined } as never, replace: true })
  const mayRead = useMay('deliveries.read')
  return (
    <>
      <Head title={site.name} actions={<Actions site={site} />}>
        <SiteState state={site.state} />{' '}
        <a href={site.url} target="_blank" rel="noreferrer" dir="ltr">
          {site.url}
        </a>
      </Head>
      {reconnecting && <Reconnect site={site} onDone={() => setReconnecting(false)} />}
      {site.since && <WhyNot site={site} since={site.since} />}
      {site.report && <Report report={site.report} />}
      {mayRead && <Latest siteId={site.id} />}
      <Below queries={mayRead ? [latestQuery(site.id)] : []}>
        <Settings site={site} />
        <Remove site={site} />
      </Below>
    </>
  )
}

const headings: Record<string, (since: string) => string> = {
  // translators: %s: a time of day, or a date with it
  down: (since) => sprintf(__('Down since %s', 'galley'), since),
  // translators: %s: a time of day, or a date with it
  needs_owner: (since) => sprintf(__('Needs its owner since %s', 'galley'), since),
  // translators: %s: a time of day, or a date with it
  needs_you: (since) => sprintf(__('Needs you since %s', 'galley'), since),
  // translators: %s: a time of day, or a date with it
  paused: (since) => sprintf(__('Paused since %s', 'galley'), since),
}

/** Why nothing is delivered to the site now, since when, and when it is tried next. */
function WhyNot({ site: { state, stopped, trouble, next_try }, since }: { site: Site; since: string }) {
  return (
    <section className={`g-card g-section g-told ${state.startsWith('needs') ? 'bad' : 'warning'}`}>
      <h2>{headings[state]?.(clock(since))}</h2>
      {stopped && (
        <p>{stopped.reason ?? __('Nothing is sent to the site. Documents that arrive wait.', 'galley')}</p>
      )}
      {trouble && <p>{trouble.message}</p>}
      {!stopped && !trouble && <p>{__('The last check found a problem.', 'galley')}</p>}
      {next_try && !stopped && (
        <p>
          {goesOnByItself()} <NextTry at={next_try} />
        </p>
      )}
    </section>
  )
}

/** The first is the one that helps a site that needs somebody. Its address and its deliveries are linked below. */
function Actions({ site }: { site: Site }) {
  return useSiteActions()(site)
    .filter(({ href, to }) => href === undefined && to !== '/deliveries')
    .map((action, at) => (
      <ActionButton key={action.label} action={action} primary={at === 0 && needsSomebody(site)} />
    ))
}

const SHOWN = 5

/** The query of the latest deliveries. */
const latestQuery = (siteId: string) => deliveriesQuery({ site_id: [siteId], limit: SHOWN })

/** The latest deliveries, live, and a link to all. */
function Latest({ siteId }: { siteId: string }) {
  const query = useQuery(latestQuery(siteId))
  return (
    <section className="g-section" aria-labelledby="latest-deliveries">
      <h2 id="latest-deliveries">{__('Latest deliveries', 'galley')}</h2>
      <QueryResult query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="g-card g-weak">{__('No deliveries yet', 'galley')}</p>
          ) : (
            <>
              <RowList items={data} label={__('Latest deliveries', 'galley')}>
                {(delivery) => (
                  <Row
                    title={
                      <Link to="/deliveries/$id" params={{ id: delivery.id } as never}>
                        {delivery.title ?? __('(no title)', 'galley')}
                      </Link>
                    }
                    state={<DeliveryStatus status={delivery.status} />}
                  >
                    {delivery.status === 'waiting' ? (
                      <p>
                        <WaitsForSite delivery={delivery} />
                      </p>
                    ) : (
                      delivery.error && <p>{delivery.error.message}</p>
                    )}
                    <p className="g-weak">
                      <Time at={delivery.created_at} />
                    </p>
                  </Row>
                )}
              </RowList>
              <p>
                <Link to="/deliveries" search={{ site_id: siteId } as never}>
                  {__('All deliveries to this site', 'galley')}
                </Link>
              </p>
            </>
          )
        }
      </QueryResult>
    </section>
  )
}

/** Ends the connection to a site. Its posts stay. */
function Remove({ site: { id, name } }: { site: Site }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const notice = useNotice()
  const [revoke, setRevoke] = useState(true)
  const remove = useChange({
    changes: [],
    mutationFn: () =>
      call('removeSite', { path: { uuid: id }, query: { revoke: revoke ? 'true' : 'false' } }),
    onSuccess: async () => {
      // translators: %s: the name of a site
      notice({ text: sprintf(__('%s is removed. Its posts stay.', 'galley'), name) })
      await navigate({ to: '/sites' })
      queryClient.removeQueries({ queryKey: ['sites', 'one', id] })
      await queryClient.invalidateQueries({ queryKey: ['sites', 'list'] })
    },
  })
  if (!useMay('sites.change')) return null
  return (
    <section className="g-card g-section g-told">
      <h2>{__('Remove the site', 'galley')}</h2>
      <p className="g-weak">{__('Nothing is sent to it any more. Its posts stay as they are.', 'galley')}</p>
      <p className="g-weak">
        {sprintf(
          // translators: %s: the id of a site
          __(
            'To connect it again later, give it the same ID, in a file of sites or over the API: %s. Under another one not all of its posts are known again, and a document that is sent again may become a second post.',
            'galley',
          ),
          id,
        )}
      </p>
      <Checkbox
        label={__('Also end the application password in WordPress', 'galley')}
        help={__('It was created for Galley, or given to it. Nobody can use it afterwards.', 'galley')}
        checked={revoke}
        onChange={setRevoke}
      />
      <div className="g-actions">
        <ConfirmButton
          label={__('Remove', 'galley')}
          of={name}
          question={__('What waits for it is held.', 'galley')}
          disabled={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </div>
    </section>
  )
}

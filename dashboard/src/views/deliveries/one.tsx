import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { lazy, Suspense } from 'react'
import { call, type DetailedDelivery } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { Head } from '../../components/head.tsx'
import { wordsFor } from '../../components/states/failure.tsx'
import { Loading } from '../../components/states/loading.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { DeliveryStatus } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { deliveryQuery } from '../../data/deliveries.ts'
import { About } from './about.tsx'
import { EventAsReceived } from './event.tsx'
import { Pictures } from './pictures.tsx'
import { Timeline } from './timeline.tsx'
import { isAtRest, Trouble } from './trouble.tsx'
import { TryAgain } from './try-again.tsx'

/** With what compares texts, which no other delivery needs. */
const Edits = lazy(() => import('./edits/edits.tsx'))

/** Whether it waits because somebody edited the post, so that there are two texts. */
const isHeldEdit = ({ status, error }: DetailedDelivery): boolean =>
  status === 'held' && (error?.code === 'post_changed' || error?.code === 'post_replaced')

/** What became of one document on one site. */
export default function OneDelivery() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useQuery(deliveryQuery(id))
  return <QueryResult query={query}>{(delivery) => <Shown delivery={delivery} />}</QueryResult>
}

function Shown({ delivery }: { delivery: DetailedDelivery }) {
  const { title, site, site_id, status, warnings, post, created_at, timeline } = delivery
  return (
    <>
      <Head title={title ?? __('(no title)', 'galley')} actions={<Actions delivery={delivery} />}>
        <DeliveryStatus status={status} />{' '}
        <Link to="/sites/$id" params={{ id: site_id } as never}>
          {site?.name ?? site_id}
        </Link>{' '}
        · <Time at={created_at} />
      </Head>
      <Trouble delivery={delivery} decided={isHeldEdit(delivery)} />
      {isHeldEdit(delivery) && (
        <Suspense fallback={<Loading />}>
          <Edits delivery={delivery} />
        </Suspense>
      )}
      {warnings.length > 0 && (
        <section className="g-card g-section">
          <h2>{__('Warnings', 'galley')}</h2>
          <ul>
            {warnings.map(({ code, message }) => (
              <li key={`${code} ${message}`}>{message}</li>
            ))}
          </ul>
        </section>
      )}
      {post && (
        <p className="g-section g-actions">
          {post.url && (
            <a className="g-button" href={post.url} target="_blank" rel="noreferrer">
              {__('Open the post', 'galley')}
            </a>
          )}
          {post.edit_url && (
            <a className="g-button" href={post.edit_url} target="_blank" rel="noreferrer">
              {__('Edit in WordPress', 'galley')}
            </a>
          )}
        </p>
      )}
      <About delivery={delivery} />
      <Pictures delivery={delivery} />
      <Timeline lines={timeline} />
      <EventAsReceived id={delivery.event_id} />
    </>
  )
}

function Actions({ delivery }: { delivery: DetailedDelivery }) {
  const { id, status, error, event_id, site_id } = delivery
  const queryClient = useQueryClient()
  const notice = useNotice()
  const act = useMutation({
    mutationFn: async (action: 'retry' | 'cancel') => {
      const at = { path: { uuid: id } }
      if (action === 'retry') await call('retryDelivery', { ...at, body: {} })
      else await call('cancelDelivery', at)
      return { action, before: status }
    },
    onSuccess: ({ action, before }) => {
      if (action === 'cancel')
        notice({
          text: __('The delivery is cancelled. What is on the site stays as it is.', 'galley'),
          // What had failed is not made to have failed again: it is tried.
          action: {
            label: before === 'failed' ? __('Try again', 'galley') : __('Undo', 'galley'),
            run: () => act.mutate('retry'),
          },
        })
    },
    onError: (error) => notice({ text: wordsFor(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deliveries'] }),
  })
  // What becomes of an edited post is decided beside its texts.
  if (!useMay('deliveries.act') || isHeldEdit(delivery)) return null
  return (
    <>
      <Link className="g-button" to="/preview" search={{ event: event_id, site: site_id } as never}>
        {__('Preview', 'galley')}
      </Link>
      {/* Where something is wrong it stands beside that. */}
      {!error && isAtRest(status) && <TryAgain id={id} />}
      {['queued', 'held', 'failed'].includes(status) && (
        <button
          type="button"
          className="g-button"
          disabled={act.isPending}
          onClick={() => act.mutate('cancel')}
        >
          {__('Cancel', 'galley')}
        </button>
      )}
    </>
  )
}

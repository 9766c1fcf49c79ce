import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { lazy, Suspense } from 'react'
import type { DetailedDelivery } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { ActionButton, ActionMenu } from '../../components/actions.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Head } from '../../components/head.tsx'
import { Loading } from '../../components/loading.tsx'
import { PostState } from '../../components/post-state.tsx'
import { sourceName } from '../../components/source-name.ts'
import { QueryResult } from '../../components/states.tsx'
import { DeliveryStatus } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { warningItems } from '../../components/warnings.tsx'
import { deliveryQuery } from '../../data/deliveries.ts'
import { type DeliveryAction, useDeliveryActions, waitsForChoice } from './actions.ts'
import { EventAsReceived, Timeline } from './timeline.tsx'
import { Trouble } from './trouble.tsx'
import '../../components/rows.css'

/** Loaded on demand, with the library that compares texts. */
const Edits = lazy(() => import('./edits/edits.tsx'))

/** A withdrawal in words. */
const withdrawals = {
  draft: () => __('Withdrawal to a draft', 'galley'),
  trash: () => __('Withdrawal to the trash', 'galley'),
} satisfies Record<NonNullable<DetailedDelivery['withdraw_to']>, () => string>

/** One delivery: a document on a site. */
export default function OneDelivery() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useQuery(deliveryQuery(id))
  return (
    <QueryResult query={query}>{(delivery) => <Shown key={delivery.id} delivery={delivery} />}</QueryResult>
  )
}

function Shown({ delivery }: { delivery: DetailedDelivery }) {
  const { title, site, site_id, status, withdraw_to, warnings, post, created_at, timeline } = delivery
  const actions = useDeliveryActions()(delivery)
  const [solving, undoing] = (['solves', 'undoes'] as const).map((what) =>
    actions.filter(({ use }) => use === what),
  ) as [DeliveryAction[], DeliveryAction[]]
  const others = actions.filter((action) => !solving.includes(action) && !undoing.includes(action))
  return (
    <>
      <Head
        title={title ?? __('(no title)', 'galley')}
        actions={<Actions delivery={delivery} actions={others} />}
      >
        <DeliveryStatus status={status} /> {withdraw_to && `${withdrawals[withdraw_to]()} · `}
        <Link to="/sites/$id" params={{ id: site_id } as never}>
          {site?.name ?? site_id}
        </Link>{' '}
        · <Time at={created_at} />
        {post && (
          <>
            {' · '}
            <PostState post={post} />
          </>
        )}
      </Head>
      {!waitsForChoice(delivery) && <Trouble delivery={delivery} actions={solving} />}
      <Undo until={delivery.undo_until} actions={undoing} />
      {waitsForChoice(delivery) && (
        <Suspense
          fallback={
            <div className="g-room">
              <Loading />
            </div>
          }
        >
          <Edits delivery={delivery} />
        </Suspense>
      )}
      {warnings.length > 0 && (
        <section className="g-card g-section">
          <h2>{__('Warnings', 'galley')}</h2>
          <ul>{warningItems(warnings)}</ul>
        </section>
      )}
      <div className="g-columns">
        <div>
          <Timeline lines={timeline} />
          <EventAsReceived id={delivery.event_id} />
        </div>
        <div>
          <About delivery={delivery} />
          <Pictures delivery={delivery} />
        </div>
      </div>
    </>
  )
}

/** That a choice about an edited post can be taken back; nothing where there is none. */
function Undo({ until, actions }: { until: string | null; actions: DeliveryAction[] }) {
  if (until === null || actions.length === 0) return null
  return (
    <section className="g-card g-section">
      <h2>{__('The edited text was replaced', 'galley')}</h2>
      <p>
        {__(
          'Galley keeps what was on the site for a day. Undo puts it back, unless somebody has edited the post since. A password that the new version set stays, because Galley does not keep the earlier one.',
          'galley',
        )}
      </p>
      <p className="g-weak">
        {__('Kept until:', 'galley')} <Time at={until} exact />
      </p>
      <div className="g-actions">
        {actions.map((action) => (
          <ActionButton key={action.label} action={action} />
        ))}
      </div>
    </section>
  )
}

/** Its actions beside the title: a few as buttons, the first of these the one that helps, and the rest in a menu. */
function Actions({ delivery, actions }: { delivery: DetailedDelivery; actions: DeliveryAction[] }) {
  const { event_id, site_id } = delivery
  const mayPreview = useMay('preview')
  const rare = actions.filter((action) => action.rare)
  const preview = {
    label: __('Preview', 'galley'),
    to: '/preview',
    search: { event: event_id, site: site_id },
  }
  return (
    <>
      {actions
        .filter((action) => !action.rare)
        .map((action) => (
          <ActionButton key={action.label} action={action} primary={action.use === 'helps'} />
        ))}
      <ActionMenu actions={mayPreview ? [preview, ...rare] : rare} />
    </>
  )
}

type Waits = NonNullable<DetailedDelivery['stands']['waits_for']>

const waits = {
  turn: () => __('other deliveries to its site come first', 'galley'),
  time: () => __('its next attempt', 'galley'),
  site: () => __('its site, which is down and tried again', 'galley'),
  resume: () => __('its site, which is paused', 'galley'),
  connection: () => __('its site, which is not connected', 'galley'),
  owner: () => __('the owner of its site', 'galley'),
  decision: () => __('you', 'galley'),
} satisfies Record<Waits, () => string>

/** The source, the number of attempts, and what it waits for. */
const About = ({ delivery }: { delivery: DetailedDelivery }) => {
  const { source, document_id, reference, attempts, next_attempt_at, stands, created_at, updated_at, post } =
    delivery
  return (
    <section className="g-card g-section">
      <h2>{__('About this delivery', 'galley')}</h2>
      <Facts>
        {stands.waits_for && <Fact label={__('Waits for', 'galley')}>{waits[stands.waits_for]()}</Fact>}
        {next_attempt_at && (
          <Fact label={__('Next attempt', 'galley')}>
            <Time at={next_attempt_at} exact />
          </Fact>
        )}
        {attempts > 0 && <Fact label={__('Failed attempts', 'galley')}>{String(attempts)}</Fact>}
        {source && <Fact label={__('Came from', 'galley')}>{sourceName(source.name ?? source.id)}</Fact>}
        <Fact label={__('Received', 'galley')}>
          <Time at={created_at} exact />
        </Fact>
        <Fact label={__('Last change', 'galley')}>
          <Time at={updated_at} exact />
        </Fact>
        {post?.seen_at && (
          <Fact label={__('Last look at the post', 'galley')}>
            <Time at={post.seen_at} />
          </Fact>
        )}
        {post?.modified_at && (
          <Fact label={__('Changed in WordPress', 'galley')}>
            <Time at={post.modified_at} exact />
            {' · '}
            {post.modified_by ?? __('WordPress does not say by whom', 'galley')}
          </Fact>
        )}
        <Fact label={__('Document', 'galley')}>
          <Link to="/deliveries" search={{ document_id } as never} title={__('All its deliveries', 'galley')}>
            {reference ?? <code>{document_id}</code>}
          </Link>
        </Fact>
      </Facts>
    </section>
  )
}

/** The files of a document, and where they are in the site's media library. */
function Pictures({ delivery: { media, post } }: { delivery: DetailedDelivery }) {
  if (media.length === 0) return null
  return (
    <section className="g-card g-section">
      <h2>{__('Pictures and sound', 'galley')}</h2>
      <ul className="g-findings">
        {media.map(({ source_url, id }) => (
          <li key={source_url}>
            <p dir="ltr">{source_url}</p>
            <p className="g-weak">
              {id === null ? (
                __('Not in the media library of the site.', 'galley')
              ) : (
                <Place id={id} address={inLibrary(post?.edit_url ?? null, id)} />
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Place({ id, address }: { id: number; address: string | undefined }) {
  // translators: %d: the number of a file in WordPress
  const name = sprintf(__('File %d in the media library', 'galley'), id)
  if (address === undefined) return <>{name}</>
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {name}
    </a>
  )
}

/** The media library is beside the editor. Without a web address there is no link. */
function inLibrary(editUrl: string | null, id: number): string | undefined {
  if (editUrl === null || !URL.canParse(editUrl)) return undefined
  const url = new URL(`upload.php?item=${id}`, editUrl)
  return /^https?:$/.test(url.protocol) ? url.href : undefined
}

import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import type { DetailedDelivery } from '../../api/client.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { postStatusInWords } from '../../components/post-words.ts'
import { Time } from '../../components/time.tsx'

type Waits = NonNullable<DetailedDelivery['stands']['waits_for']>

const waits = {
  turn: () => __('other deliveries to its site come first', 'galley'),
  time: () => __('its next attempt', 'galley'),
  site: () => __('its site, which is in trouble and tried again', 'galley'),
  resume: () => __('its site, which is paused by you', 'galley'),
  connection: () => __('its site, which is not connected', 'galley'),
  owner: () => __('the owner of its site', 'galley'),
  decision: () => __('you', 'galley'),
} satisfies Record<Waits, () => string>

/** Where it came from, how often it was tried, and what it waits for. */
export const About = ({ delivery }: { delivery: DetailedDelivery }) => {
  const { source, document_id, attempts, next_attempt_at, stands, created_at, updated_at, post } = delivery
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
        {source && <Fact label={__('Came from', 'galley')}>{source.name ?? source.id}</Fact>}
        <Fact label={__('Received', 'galley')}>
          <Time at={created_at} exact />
        </Fact>
        <Fact label={__('Last change', 'galley')}>
          <Time at={updated_at} exact />
        </Fact>
        {post?.status && (
          <Fact label={__('Status in WordPress', 'galley')}>{postStatusInWords(post.status)}</Fact>
        )}
        <Fact label={__('Document', 'galley')}>
          <Link to="/deliveries" search={{ document_id } as never} title={__('All its deliveries', 'galley')}>
            <code>{document_id}</code>
          </Link>
        </Fact>
      </Facts>
    </section>
  )
}

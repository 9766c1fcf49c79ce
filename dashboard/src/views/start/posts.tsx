import { useQuery } from '@tanstack/react-query'
import { __, _n, sprintf } from '@wordpress/i18n'
import type { DeliveryCounts } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { countOf } from '../../components/bulk/words.ts'
import { LinkButton } from '../../components/button.tsx'
import { withNumber } from '../../components/format.ts'
import { reviewInWords } from '../../components/post-state.tsx'
import { countsQuery } from '../../data/deliveries.ts'
import { inReview, recentLosses } from './queries.ts'

/** The posts of the last week that went out with something missing; nothing where there are none. */
export function Losses() {
  const [{ label }] = useAddressSearch()
  const filter = { ...recentLosses(), label }
  const { data } = useQuery(countsQuery(filter))
  if (data === undefined || data.losses.posts === 0) return null
  const { posts, sites } = data.losses
  return (
    <PostsCard
      id="losses"
      heading={sprintf(
        // translators: 1: a number of posts, such as 14 posts. 2: a number of sites, such as 6 sites
        __('%1$s on %2$s went out with losses', 'galley'),
        // translators: %d: a number of posts
        withNumber(_n('%d post', '%d posts', posts, 'galley'), posts),
        countOf('sites', sites),
      )}
      text={__(
        'In the last seven days. Words, a picture or an address are missing, or markup shows as letters.',
        'galley',
      )}
      counts={data.losses}
      search={filter}
    />
  )
}

/** The posts that wait for review in WordPress; nothing where there are none. */
export function Review() {
  const [{ label }] = useAddressSearch()
  const { data } = useQuery(countsQuery({ ...inReview, label }))
  if (data === undefined || data.review.posts === 0) return null
  const { posts, sites } = data.review
  return (
    <PostsCard
      id="review"
      heading={reviewInWords(posts, sites)}
      text={__('They are drafts until somebody publishes them in WordPress.', 'galley')}
      counts={data.review}
      search={{ ...inReview, label, post_status: inReview.post_status.join(',') }}
    />
  )
}

interface PostsCardProps {
  id: string
  heading: string
  text: string
  counts: DeliveryCounts['losses']
  /** The address of the list that has them. */
  search: object
}

function PostsCard({ id, heading, text, counts: { posts, more }, search }: PostsCardProps) {
  return (
    <section className="g-section" aria-labelledby={id}>
      <div className="g-card g-cause">
        <div>
          <h2 id={id}>{heading}</h2>
          <p>
            {text} {more && __('There may be more.', 'galley')}
          </p>
        </div>
        <div className="g-actions">
          <LinkButton to="/deliveries" search={search}>
            {withNumber(
              // translators: %d: a number of posts
              _n('Show %d post', 'Show %d posts', posts, 'galley'),
              posts,
            )}
          </LinkButton>
        </div>
      </div>
    </section>
  )
}

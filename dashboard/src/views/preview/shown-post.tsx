import { useQuery } from '@tanstack/react-query'
import { __, _n } from '@wordpress/i18n'
import type { Preview } from '../../api/client.ts'
import { withNumber } from '../../components/number.ts'
import { wordsFor } from '../../components/states/failure.tsx'
import { stylesQuery } from '../../data/sites.ts'
import { Frame } from './frame.tsx'

/** The post with the styles of its site; with plain ones until they are there, and where they cannot be had. */
export function ShownPost({ preview, siteId }: { preview: Preview; siteId: string }) {
  const { data, error } = useQuery(stylesQuery(siteId))
  return (
    <div className="g-post">
      <Frame
        preview={preview}
        styles={data?.path}
        title={__('The post as the editor will show it', 'galley')}
      />
      <div className="g-weak" role="status">
        {data ? (
          <p>
            {__('With the styles of the site, without its web fonts and background images.', 'galley')}{' '}
            {data.left_out.length > 0 && leftOut(data.left_out.length)}
          </p>
        ) : error ? (
          <p>
            {__('With plain styles, not those of the site.', 'galley')} {wordsFor(error).text}
          </p>
        ) : (
          <p>{__('Loading the styles of the site…', 'galley')}</p>
        )}
      </div>
    </div>
  )
}

const leftOut = (count: number): string =>
  withNumber(
    // translators: %d: how many style sheets
    _n('%d style sheet could not be read.', '%d style sheets could not be read.', count, 'galley'),
    count,
  )

import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { Area } from '../../components/field.tsx'
import { Select } from '../../components/form.tsx'
import { imageDraft } from './begin.ts'
import { imageBackgrounds, imageFormats, imageQualities, imageSizes, imageStyles, tiers } from './choices.ts'
import { useCreateJob } from './create-job.ts'
import { type ImageDraft, imageRequest } from './drafts.ts'
import { JobForm, type Kept, NewJob } from './new-job.tsx'
import { WebhookAddress } from './webhook-address.tsx'

/** An image to be drawn. */
export default function NewImage() {
  return <NewJob kind="image">{(kept) => <ImageForm kept={kept} />}</NewJob>
}

function ImageForm({ kept }: { kept: Kept }) {
  const [draft, setDraft] = useState<ImageDraft>(() => imageDraft(kept))
  const creation = useCreateJob('image', imageRequest(draft))
  const { failure } = creation
  const change = (changes: Partial<ImageDraft>) => setDraft({ ...draft, ...changes })
  const choice = (name: keyof ImageDraft, label: string, options: Record<string, string>) => (
    <Select
      label={label}
      value={draft[name]}
      onChange={(value) => change({ [name]: value })}
      options={options}
      failure={failure}
      path={`body.${name}`}
    />
  )
  return (
    <JobForm
      submit={__('Create the image', 'galley')}
      creation={creation}
      incomplete={draft.prompt.trim() === ''}
    >
      <Area
        label={__('What it shows', 'galley')}
        help={__('Subjects, colours, positions, layout. Words in it rarely come out right.', 'galley')}
        rows={4}
        value={draft.prompt}
        onChange={(prompt) => change({ prompt })}
        failure={failure}
        path="body.prompt"
      />
      <div className="g-beside">
        {choice('style', __('Style', 'galley'), imageStyles())}
        {choice('size', __('Size', 'galley'), imageSizes())}
      </div>
      <div className="g-beside">
        {choice('quality', __('Quality', 'galley'), imageQualities())}
        {choice('format', __('File', 'galley'), imageFormats())}
      </div>
      <div className="g-beside">
        {choice('background', __('Background', 'galley'), imageBackgrounds())}
        {choice('model', __('Tier of models', 'galley'), tiers())}
      </div>
      <WebhookAddress
        value={draft.webhook_url}
        onChange={(webhook_url) => change({ webhook_url })}
        failure={failure}
      />
    </JobForm>
  )
}

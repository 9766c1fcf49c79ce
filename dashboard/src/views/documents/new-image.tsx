import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { Area, Select } from '../../components/form.tsx'
import { imageBackgrounds, imageFormats, imageQualities, imageSizes, imageStyles, tiers } from './choices.ts'
import { type ImageDraft, imageDraft, imageRequest } from './drafts.ts'
import { WebhookAddress } from './form-groups.tsx'
import { type EarlierRequest, JobForm, NewJob, useCreateJob } from './new-job.tsx'

/** The form for an image. */
export default function NewImage() {
  return <NewJob kind="image">{(earlier) => <ImageForm earlier={earlier} />}</NewJob>
}

function ImageForm({ earlier }: { earlier: EarlierRequest }) {
  const [draft, setDraft] = useState<ImageDraft>(() => imageDraft(earlier))
  const creation = useCreateJob('image', imageRequest(draft))
  const change = (changes: Partial<ImageDraft>) => setDraft({ ...draft, ...changes })
  const choice = (name: keyof ImageDraft, label: string, options: Record<string, string>) => (
    <Select
      label={label}
      value={draft[name]}
      onChange={(value) => change({ [name]: value })}
      options={options}
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
      <WebhookAddress value={draft.webhook_url} onChange={(webhook_url) => change({ webhook_url })} />
    </JobForm>
  )
}

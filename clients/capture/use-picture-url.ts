import { useEffect, useState } from 'preact/hooks';

/** Object URLs of images. They are revoked with the component. */
export function usePictureUrls(pictures: readonly Blob[]): readonly string[] {
  const [urls, setUrls] = useState<readonly string[]>([]);
  useEffect(() => {
    const made = pictures.map((picture) => URL.createObjectURL(picture));
    setUrls(made);
    return () => {
      for (const url of made) URL.revokeObjectURL(url);
    };
  }, pictures);
  return urls;
}

import { useEffect, useState } from 'preact/hooks';

/** Object URLs of images. They are revoked with the component. */
export function useImageUrls(images: readonly Blob[]): readonly string[] {
  const [urls, setUrls] = useState<readonly string[]>([]);
  useEffect(() => {
    const made = images.map((image) => URL.createObjectURL(image));
    setUrls(made);
    return () => {
      for (const url of made) URL.revokeObjectURL(url);
    };
  }, images);
  return urls;
}

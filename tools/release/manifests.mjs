// The files of Homebrew, Scoop and winget, from the version and the hashes of the archives.

/**
 * @typedef {{ version: string, homepage: string, license: string, description: string, url: string, hashOf: (file: string) => string }} About
 * `url` is the folder with the files of the release.
 */

/** @param {About} about */
export function homebrew({ version, homepage, license, description, url, hashOf }) {
  const source = (name) => {
    const file = `mkt-${version}-${name}.tar.gz`;
    return `url "${url}/${file}"\n      sha256 "${hashOf(file)}"`;
  };
  const system = (method, name) => `  on_${method} do
    on_arm do
      ${source(`${name}-arm64`)}
    end
    on_intel do
      ${source(`${name}-x64`)}
    end
  end
`;
  return `class Mkt < Formula
  desc "${description.replace(/^mkt: /, '')}"
  homepage "${homepage}"
  version "${version}"
  license "${license}"

${system('macos', 'darwin')}
${system('linux', 'linux')}
  def install
    bin.install "mkt"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/mkt.bash" => "mkt"
    zsh_completion.install "completions/_mkt"
    fish_completion.install "completions/mkt.fish"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/mkt --version").strip
  end
end
`;
}

/** @param {About} about */
export function scoop({ version, homepage, license, description, url, hashOf }) {
  const folder = `mkt-${version}-win-x64`;
  const manifest = {
    version,
    description: description.replace(/^mkt: /, ''),
    homepage,
    license,
    architecture: { '64bit': { url: `${url}/${folder}.zip`, hash: hashOf(`${folder}.zip`), extract_dir: folder } },
    bin: 'mkt.exe',
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** @param {About} about @returns {Record<string, string>} Three files, as the repository of winget wants them. */
export function winget({ version, homepage, license, description, url, hashOf }) {
  const folder = `mkt-${version}-win-x64`;
  const file = (kind, lines) =>
    [
      `PackageIdentifier: mkt.mkt`,
      `PackageVersion: ${version}`,
      ...lines,
      `ManifestType: ${kind}`,
      'ManifestVersion: 1.6.0',
      '',
    ].join('\n');
  return {
    'winget/mkt.mkt.yaml': file('version', ['DefaultLocale: en-US']),
    'winget/mkt.mkt.locale.en-US.yaml': file('defaultLocale', [
      'PackageLocale: en-US',
      'Publisher: mkt contributors',
      'PackageName: mkt',
      `PackageUrl: ${homepage}`,
      `License: ${license}`,
      `ShortDescription: ${description.replace(/^mkt: /, '')}`,
    ]),
    'winget/mkt.mkt.installer.yaml': file('installer', [
      'InstallerType: zip',
      'NestedInstallerType: portable',
      'NestedInstallerFiles:',
      `  - RelativeFilePath: ${folder}\\mkt.exe`,
      '    PortableCommandAlias: mkt',
      'Installers:',
      '  - Architecture: x64',
      `    InstallerUrl: ${url}/${folder}.zip`,
      `    InstallerSha256: ${hashOf(`${folder}.zip`).toUpperCase()}`,
    ]),
  };
}

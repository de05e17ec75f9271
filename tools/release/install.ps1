# Installs mkt @VERSION@ for this user: downloads the archive, checks its SHA-256, and puts one file into a folder.
#   irm @RELEASES@/latest/download/install.ps1 | iex
#   & ([scriptblock]::Create((irm @RELEASES@/latest/download/install.ps1))) -Dir C:\tools
# The flags of install.sh (--version, --dir, --base-url) are -Version, -Dir and -BaseUrl here.
param(
  [string] $Version = '@VERSION@',
  # Installs DIR\mkt.exe.
  [string] $Dir = (Join-Path $HOME '.local\bin'),
  # A folder with the files of the release: https, or http on this machine.
  [string] $BaseUrl = ''
)

function Install-Mkt {
  $ErrorActionPreference = 'Stop'
  # The progress bar makes downloads many times slower.
  $ProgressPreference = 'SilentlyContinue'
  function Stop-Install([string] $Reason) { throw "$Reason Nothing was installed or changed." }

  $number = $Version -replace '^v', ''
  if ($number -notmatch '^[0-9A-Za-z.+-]+$') { Stop-Install """$number"" is not a version." }
  if (-not [Environment]::Is64BitOperatingSystem) { Stop-Install 'mkt needs a 64-bit Windows.' }
  $base = if ($BaseUrl) { $BaseUrl.TrimEnd('/') } else { "@RELEASES@/download/v$number" }
  if ($base -match '@') { Stop-Install '-BaseUrl cannot contain a user name or a password.' }
  if ($base -notmatch '^https://' -and $base -notmatch '^http://(localhost|127\.0\.0\.1|\[::1\])([:/]|$)') {
    Stop-Install "-BaseUrl must begin with https:// (http:// only on this machine), not $base."
  }

  $name = "mkt-$number-win-x64"
  $archive = "$name.zip"
  $work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
  New-Item -ItemType Directory $work | Out-Null
  try {
    Write-Host "Downloading $base/$archive"
    foreach ($file in 'SHA256SUMS', $archive) {
      try { Invoke-WebRequest -UseBasicParsing "$base/$file" -OutFile (Join-Path $work $file) }
      catch { Stop-Install "Cannot download $base/$file ($($_.Exception.Message)). Check the connection and the proxy." }
    }
    $line = Get-Content (Join-Path $work 'SHA256SUMS') | Where-Object { ($_ -split '\s+')[1] -eq $archive }
    if (-not $line) { Stop-Install "$base/SHA256SUMS does not contain $archive." }
    $expected = ($line -split '\s+')[0]
    $actual = (Get-FileHash -Algorithm SHA256 (Join-Path $work $archive)).Hash
    if ($actual -ne $expected) {
      Stop-Install "The SHA-256 of $archive does not match (expected $expected, found $actual): the file is damaged or was replaced."
    }
    Expand-Archive (Join-Path $work $archive) $work
    $program = Join-Path $work "$name\mkt.exe"
    $found = & $program --version
    if ($found -ne $number) { Stop-Install "The archive contains mkt $found, not $number." }
    New-Item -ItemType Directory -Force $Dir | Out-Null
    Move-Item -Force $program (Join-Path $Dir 'mkt.exe')
  }
  finally { Remove-Item -Recurse -Force $work }

  Write-Host "Installed mkt $number as $(Join-Path $Dir 'mkt.exe')"
  if (($env:PATH -split ';') -notcontains $Dir) {
    Write-Host "To use it in every new terminal, add the folder to your PATH:"
    Write-Host "  [Environment]::SetEnvironmentVariable('PATH', [Environment]::GetEnvironmentVariable('PATH', 'User') + ';$Dir', 'User')"
  }
}

Install-Mkt
